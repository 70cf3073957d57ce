class Entire < Formula
  desc "Records what AI coding sessions did to a git repository"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "MIT"
  depends_on "git"

  on_macos do
    on_arm do
      {{- with call .Archive "darwin" "arm64"}}
      url "{{$.URL}}/{{.Name}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
    on_intel do
      {{- with call .Archive "darwin" "amd64"}}
      url "{{$.URL}}/{{.Name}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
  end

  on_linux do
    on_arm do
      {{- with call .Archive "linux" "arm64"}}
      url "{{$.URL}}/{{.Name}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
    on_intel do
      {{- with call .Archive "linux" "amd64"}}
      url "{{$.URL}}/{{.Name}}"
      sha256 "{{.SHA256}}"
      {{- end}}
    end
  end

  def install
    bin.install {{range $i, $p := .Programs}}{{if $i}}, {{end}}"{{$p}}"{{end}}
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/entire.bash" => "entire"
    zsh_completion.install "completions/_entire"
    fish_completion.install "completions/entire.fish"
  end

  test do
    assert_match "Entire CLI", shell_output("#{bin}/entire version")
  end
end

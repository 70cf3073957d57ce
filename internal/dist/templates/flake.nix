{
  description = "Records what AI coding sessions did to a git repository";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      archives = {
        {{- with call .Archive "linux" "amd64"}}
        x86_64-linux = { url = "{{$.URL}}/{{.Name}}"; sha256 = "{{.SHA256}}"; };
        {{- end}}
        {{- with call .Archive "linux" "arm64"}}
        aarch64-linux = { url = "{{$.URL}}/{{.Name}}"; sha256 = "{{.SHA256}}"; };
        {{- end}}
        {{- with call .Archive "darwin" "amd64"}}
        x86_64-darwin = { url = "{{$.URL}}/{{.Name}}"; sha256 = "{{.SHA256}}"; };
        {{- end}}
        {{- with call .Archive "darwin" "arm64"}}
        aarch64-darwin = { url = "{{$.URL}}/{{.Name}}"; sha256 = "{{.SHA256}}"; };
        {{- end}}
      };
      entire = system:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenvNoCC.mkDerivation {
          pname = "entire";
          version = "{{.Version}}";
          src = pkgs.fetchurl archives.${system};
          nativeBuildInputs = [ pkgs.makeWrapper ];
          installPhase = ''
            mkdir -p $out/bin $out/share/man
            install -m755 {{range .Programs}}{{.}} {{end}}$out/bin
            cp -r man/man1 $out/share/man/
            install -Dm644 completions/entire.bash $out/share/bash-completion/completions/entire
            install -Dm644 completions/_entire $out/share/zsh/site-functions/_entire
            install -Dm644 completions/entire.fish $out/share/fish/vendor_completions.d/entire.fish
          '';
          meta = { description = "Records what AI coding sessions did to a git repository"; license = pkgs.lib.licenses.mit; mainProgram = "entire"; };
        };
    in {
      packages = builtins.mapAttrs (system: _: rec { default = entire system; }) archives;
    };
}

package pages

import (
	"testing"

	"github.com/tidwall/gjson"
)

func TestImagesIn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		record string
		want   []string
	}{
		{`{"message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ=="}}]}}`, []string{"image/png QQ=="}},
		{`{"content":[{"type":"tool_result","content":[{"type":"image","source":{"media_type":"image/webp","data":"Qg=="}}]},{"inlineData":{"mimeType":"image/jpeg","data":"Qw=="}}]}`, []string{"image/webp Qg==", "image/jpeg Qw=="}},
		{`{"type":"input_image","image_url":"data:image/gif;base64,RA=="}`, []string{"image/gif RA=="}},
		{`{"source":{"media_type":"image/svg+xml","data":"PHN2Zz4="}}`, nil},
		{`{"image_url":"https://elsewhere.example/x.png"}`, nil},
		{`[[[[[[[[[[[[[[{"mimeType":"image/png","data":"RQ=="}]]]]]]]]]]]]]]`, nil}, // too deep
		{`not json`, nil},
	} {
		var got []string
		for _, i := range imagesIn(gjson.Parse(row.record), imageDeep) {
			got = append(got, i.kind+" "+i.data)
		}
		if len(got) != len(row.want) {
			t.Errorf("%s has %q, want %q", row.record, got, row.want)
			continue
		}
		for i := range got {
			if got[i] != row.want[i] {
				t.Errorf("%s has %q, want %q", row.record, got, row.want)
			}
		}
	}
}

// FuzzImagesIn reads records of every kind to their end.
func FuzzImagesIn(f *testing.F) {
	f.Add(`{"a":[{"source":{"media_type":"image/png","data":"QQ=="}}]}`)
	f.Add(`{"image_url":"data:image/png;base64,"}`)
	f.Add(`[{]}`)
	f.Fuzz(func(t *testing.T, record string) {
		for _, i := range imagesIn(gjson.Parse(record), imageDeep) {
			if !isShown(i.kind) {
				t.Errorf("%q gives a %s", record, i.kind)
			}
		}
	})
}

func TestCleanPatch(t *testing.T) {
	t.Parallel()
	in := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old x\n+new x\n x\n"
	want := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-CLEAN\n+CLEAN\n CLEAN\n"
	if got := string(cleanPatch([]byte(in), func(string) string { return "CLEAN" })); got != want {
		t.Errorf("got\n%s", got)
	}
}

package jsontext

import "testing"

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ in, windows, elsewhere string }{
		{`c:\Users\dana\shop\cart.go`, `C:\Users\dana\shop\cart.go`, "/mnt/c/Users/dana/shop/cart.go"},
		{`C:\Users\dana/shop`, `C:\Users\dana\shop`, "/mnt/c/Users/dana/shop"},
		{"/c:/Users/dana/shop", `C:\Users\dana\shop`, "/mnt/c/Users/dana/shop"},
		{"d:/", `D:\`, "/mnt/d/"},
		{"file:///c%3A/Users/dana/my%20shop/cart.go", `C:\Users\dana\my shop\cart.go`, "/mnt/c/Users/dana/my shop/cart.go"},
		{"file:///home/dana/my%20shop", "/home/dana/my shop", "/home/dana/my shop"},
		{"file://server/share/a.go", "//server/share/a.go", "//server/share/a.go"},
		{"file:///bad%zz", "file:///bad%zz", "file:///bad%zz"},
		{"/home/dana/100%", "/home/dana/100%", "/home/dana/100%"},
		{"src/cart.go", "src/cart.go", "src/cart.go"},
		{`src\cart.go`, `src\cart.go`, `src\cart.go`},
		{"c:cart.go", "c:cart.go", "c:cart.go"},
		{"1:/x", "1:/x", "1:/x"},
		{"file://", "", ""},
		{"", "", ""},
	} {
		if got := localPath(true, row.in); got != row.windows {
			t.Errorf("%q on Windows: %q, want %q", row.in, got, row.windows)
		}
		if got := localPath(false, row.in); got != row.elsewhere {
			t.Errorf("%q elsewhere: %q, want %q", row.in, got, row.elsewhere)
		}
	}
}

//go:build unix

package builtin

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"forge/tools"
)

func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestReadPages(t *testing.T) {
	r := newRig(t, map[string]string{"f": numberedLines(12), "long": numberedLines(2500), "noend": "a\r\nb", "empty": "", "one": "x\n"})
	if got := r.ok("read_file", o{"path": "noend"}); got != "    1\ta\n    2\tb" {
		t.Errorf("%q", got)
	}
	if got := r.ok("read_file", o{"path": "f", "offset": 3, "limit": 2}); got != "    3\tline 3\n    4\tline 4\n…(8 more lines, use offset=5)" {
		t.Errorf("%q", got)
	}
	if got := r.ok("read_file", o{"path": "f", "offset": "11"}); got != "   11\tline 11\n   12\tline 12" {
		t.Errorf("%q", got)
	}
	if got := r.ok("read_file", o{"path": "f", "offset": 10, "limit": 2}); !strings.HasSuffix(got, "…(1 more line, use offset=12)") {
		t.Errorf("%q", got)
	}
	if got := r.ok("read_file", o{"path": "long"}); !strings.HasSuffix(got, " 2000\tline 2000\n…(500 more lines, use offset=2001)") {
		t.Errorf("%q", got[len(got)-100:])
	}
	if got := r.ok("read_file", o{"path": "long", "limit": 9999}); !strings.Contains(got, "…(500 more lines") {
		t.Error("the limit was lifted")
	}
	if got := r.ok("read_file", o{"path": "empty"}); got != "the file is empty" {
		t.Errorf("%q", got)
	}
	r.fails("read_file", o{"path": "f", "offset": 13}, "f has 12 lines; offset 13 is past its end")
	r.fails("read_file", o{"path": "one", "offset": 2}, "one has 1 line;")
	r.fails("read_file", o{"path": "f", "offset": -1}, "counted from 1")
}

// Pages follow each other without a gap whatever ends them, and each fits in what
// a result may hold.
func TestReadPagesMeet(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "%d %s\n", i+1, strings.Repeat("x", i%300))
	}
	r := newRig(t, map[string]string{"f": text.String()})
	offset, pages := 1, 0
	var all strings.Builder
	for {
		got := r.ok("read_file", o{"path": "f", "offset": offset})
		if bounded := (tools.Bound{}).Apply("1", got); bounded != got {
			t.Fatalf("a page of %d bytes is cut again", len(got))
		}
		body, more, cut := strings.Cut(got, "\n…(")
		for line := range strings.Lines(body + "\n") {
			_, rest, _ := strings.Cut(line, "\t")
			all.WriteString(rest)
		}
		if pages++; !cut {
			break
		}
		if _, err := fmt.Sscanf(more[strings.Index(more, "offset="):], "offset=%d)", &offset); err != nil {
			t.Fatal(err)
		}
	}
	if all.String() != text.String() || pages < 5 {
		t.Errorf("%d pages of %d bytes, want %d", pages, all.Len(), text.Len())
	}
}

func TestReadLongLine(t *testing.T) {
	r := newRig(t, map[string]string{"f": strings.Repeat("é", 5000) + "\nnext\n", "fits": strings.Repeat("é", 2000)})
	got := r.ok("read_file", o{"path": "f"})
	if want := "    1\t" + strings.Repeat("é", 2000) + "… (3000 more characters)\n    2\tnext"; got != want {
		t.Errorf("%d bytes: …%s", len(got), got[max(0, len(got)-60):])
	}
	if got := r.ok("read_file", o{"path": "fits"}); strings.Contains(got, "more characters") {
		t.Error("a line of 2000 characters was cut")
	}
}

func TestReadEncodings(t *testing.T) {
	r := newRig(t, map[string]string{
		"bom": "\xef\xbb\xbfa\n", "u16": utf16Bytes("\xff\xfe", false, "aü\r\nb\r\n"), "latin": "caf\xe9\n", "cr": "a\rb\r", "gif": "GIF89a is how they begin\n",
	})
	for name, want := range map[string]string{
		"bom": "    1\ta", "u16": "    1\taü\n    2\tb\n(the file is UTF-16LE; changes keep that)",
		"latin": "    1\tcaf\xe9\n(not UTF-8: bytes that are no text are shown as \uFFFD)", "cr": "    1\ta\n    2\tb", "gif": "    1\tGIF89a is how they begin",
	} {
		if got := r.ok("read_file", o{"path": name}); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestReadWhatIsNoText(t *testing.T) {
	r := newRig(t, map[string]string{"bin": "\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00\x01", 500), "dir/f": "", "go.mod": "", "src/feed.go": ""})
	got := r.ok("read_file", o{"path": "bin"})
	r.has(got, "bin is a binary file: 1.0 kB", "7f 45 4c 46", "run_bash")
	r.fails("read_file", o{"path": "dir"}, "dir is a folder; use list_dir")
	r.fails("read_file", o{"path": "go.mdo"}, "go.mdo does not exist; did you mean go.mod?")
	r.fails("read_file", o{"path": "src/fed.go"}, "did you mean src/feed.go?")
	r.fails("read_file", o{"path": "scr/feed.go"}, "there is no scr in .", "did you mean src?")
	r.fails("read_file", o{"path": "qqqqqq"}, "list_dir .")
	r.fails("read_file", o{"path": "/etc/passwd"}, "outside the workspace", "--add-dir")
	r.fails("read_file", o{"file": "x"}, `there is no "file"; there are: path, offset, limit`)
	if err := syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	r.fails("read_file", o{"path": "pipe"}, "named pipe")
}

func TestReadEffect(t *testing.T) {
	r := newRig(t, map[string]string{"real": "x"})
	if err := os.Symlink("real", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	inv, err := r.prepare("read_file", o{"path": "./link", "offset": 1})
	if err != nil {
		t.Fatal(err)
	}
	e := inv.Effect
	if e.Kind != tools.Read || e.Title != "read real from line 1" || len(e.Paths) != 1 || e.Paths[0] != filepath.Join(r.dir, "real") || e.Changes != nil {
		t.Errorf("%+v", e)
	}
}

func TestReadImages(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 30, 20))
	img.Set(3, 3, color.White)
	var p, j, g, wide bytes.Buffer
	for _, err := range []error{png.Encode(&p, img), jpeg.Encode(&j, img, nil), gif.Encode(&g, img, nil), png.Encode(&wide, image.NewGray(image.Rect(0, 0, 9000, 1)))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	webp, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, map[string]string{
		"a.png": p.String(), "b.jpg": j.String(), "c.gif": g.String(), "d.webp": string(webp), "wide.png": wide.String(),
		"broken.png": p.String()[:20], "big.png": p.String() + strings.Repeat("\x00", 4<<20),
	})
	for name, mime := range map[string]string{"a.png": "image/png", "b.jpg": "image/jpeg", "c.gif": "image/gif", "d.webp": "image/webp"} {
		res, err := r.run("read_file", o{"path": name})
		if err != nil || len(res.Images) != 1 || res.Images[0].MIME != mime {
			t.Errorf("%s: %+v, %v", name, res, err)
			continue
		}
		data, err := base64.StdEncoding.DecodeString(res.Images[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		r.holds(name, string(data))
		if name != "d.webp" && !strings.Contains(res.Text, "30×20 pixels") {
			t.Errorf("%s", res.Text)
		}
	}
	r.fails("read_file", o{"path": "broken.png"}, "broken")
	for name, want := range map[string]string{"big.png": "30×20 pixels, 4.2 MB; shown at 30×20", "wide.png": "9000×1 pixels, 92 B; shown at 1568×1"} {
		res, err := r.run("read_file", o{"path": name})
		if err != nil || len(res.Images) != 1 || !strings.Contains(res.Text, want) || len(res.Images[0].Data) > 10_000 {
			t.Errorf("%s: %s, %v; want %q", name, res.Text, err, want)
		}
	}
}

func TestReadLargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 20 MB")
	}
	var b strings.Builder
	for i := range 2_000_000 {
		fmt.Fprintf(&b, "row %06d\n", i+1)
	}
	b.WriteString(strings.Repeat("z", 100_000))
	r := newRig(t, map[string]string{"big": b.String(), "bin": strings.Repeat("\x00", 17<<20)})
	got := r.ok("read_file", o{"path": "big", "offset": 1_500_000, "limit": 2})
	if want := "1500000\trow 1500000\n1500001\trow 1500001\n…(the file is 23.1 MB, more lines follow, use offset=1500002)"; got != want {
		t.Errorf("%q", got)
	}
	got = r.ok("read_file", o{"path": "big", "offset": 2_000_000})
	if want := "2000000\trow 2000000\n2000001\t" + strings.Repeat("z", 1950) + "… (the line has 100000 bytes)"; got != want {
		t.Errorf("%.100q", got)
	}
	r.fails("read_file", o{"path": "big", "offset": 3_000_000}, "has 2000001 lines")
	r.has(r.ok("read_file", o{"path": "bin"}), "binary file: 17.8 MB")
	r.fails("edit_file", o{"path": "big", "old_string": "row 000001\n", "new_string": ""}, "big is 23.1 MB", "run_bash")
}

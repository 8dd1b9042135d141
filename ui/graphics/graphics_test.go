package graphics

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/sixel"
	"github.com/charmbracelet/x/vt"
)

func env(pairs ...string) func(string) string {
	return func(k string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == k {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		wish Way
		env  []string
		want Way
	}{
		{Auto, []string{"TERM", "xterm-kitty"}, Kitty},
		{"", []string{"TERM", "xterm-256color", "KITTY_WINDOW_ID", "1"}, Kitty},
		{Auto, []string{"TERM", "xterm-256color", "KITTY_WINDOW_ID", "1", "TERM_PROGRAM", "vscode"}, Unknown},
		{Auto, []string{"TERM", "xterm-ghostty"}, Kitty},
		{Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app"}, ITerm},
		{Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm"}, ITerm},
		{Auto, []string{"TERM", "foot"}, Sixel},
		{Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "Apple_Terminal"}, Off},
		{Auto, []string{"TERM", "xterm-256color"}, Unknown},
		{Auto, []string{"TERM", "xterm-kitty", "TMUX", "/tmp/x"}, Off},
		{Auto, []string{"TERM", "screen-256color", "KITTY_WINDOW_ID", "1"}, Off},
		{Auto, []string{"TERM", "dumb"}, Off},
		{Auto, nil, Off},
		{Kitty, []string{"TERM", "tmux-256color", "TMUX", "/tmp/x"}, Kitty},
		{Off, []string{"TERM", "xterm-kitty"}, Off},
	} {
		if got := Detect(c.wish, env(c.env...)); got != c.want {
			t.Errorf("%q in %v: %q, want %q", c.wish, c.env, got, c.want)
		}
	}
}

func TestAnswered(t *testing.T) {
	for _, c := range []struct {
		guess   Way
		version string
		da1     []int
		want    Way
		cells   bool
	}{
		{Unknown, "", []int{62, 4, 6, 22}, Sixel, false},
		{Unknown, "", []int{4, 6}, Off, false},
		{Unknown, "", nil, Off, false},
		{Unknown, "XTerm(379)", []int{63, 1, 2, 4}, Sixel, false},
		{Unknown, "XTerm(379)", []int{64, 1, 2}, Off, false},
		{Kitty, "kitty(0.26.5)", []int{62}, Kitty, false}, // knows no placeholders
		{Kitty, "kitty(0.28.0)", []int{62}, Kitty, true},
		{Kitty, "kitty(0.41.1)", []int{62}, Kitty, true},
		{Kitty, "kitty(1.0)", []int{62}, Kitty, true},
		{Kitty, "kitty(nightly)", []int{62}, Kitty, false},
		{Kitty, "", []int{62}, Kitty, false},
		{Unknown, "ghostty 1.1.3-debian", []int{62, 22}, Kitty, true},  // over ssh
		{Kitty, "WezTerm 20240203-110809", []int{65, 4}, ITerm, false}, // started from Kitty
		{Unknown, "iTerm2 3.5.10", []int{62, 4}, ITerm, false},
		{Unknown, "Konsole 22.12.3", []int{62, 1, 4}, Sixel, false},
		{Kitty, "Konsole 22.12.3", []int{62, 1}, Off, false}, // started from Kitty
		{Sixel, "foot(1.13.1)", []int{62, 4, 22}, Sixel, false},
	} {
		if way, cells := Answered(c.guess, c.version, c.da1); way != c.want || cells != c.cells {
			t.Errorf("%q says it is %q, %v: %q in cells %v", c.guess, c.version, c.da1, way, cells)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range [][6]int{ // pixels, room, cells
		{600, 200, 60, 16, 60, 10}, {1200, 400, 60, 16, 60, 10}, {20, 20, 60, 16, 2, 1}, {100, 10_000, 60, 16, 1, 16}, {10_000, 1, 60, 16, 60, 1},
		{640, 480, 60, 16, 43, 16}, {0, 0, 0, 0, 1, 1},
	} {
		if w, h := Fit(c[0], c[1], c[2], c[3], Cell{10, 20}); w != c[4] || h != c[5] {
			t.Errorf("%d×%d in %d×%d: %d×%d, want %d×%d", c[0], c[1], c[2], c[3], w, h, c[4], c[5])
		}
	}
}

// drawing is red with a blue right half.
func drawing(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{R: 255, A: 255})
			if x >= w/2 {
				img.Set(x, y, color.RGBA{B: 255, A: 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var kittyChunk = regexp.MustCompile("\x1b_G([^;\x1b]*);([^\x1b]*)\x1b\\\\")

// TestKittySends reads back what goes to the terminal: the options of the first piece,
// pieces that are no longer than the protocol has it, and the picture.
func TestKittySends(t *testing.T) {
	p := Placed{N: 3, Cols: 40, Rows: 10}
	seq, err := p.Transmit(drawing(t, 800, 400), false)
	if err != nil {
		t.Fatal(err)
	}
	chunks := kittyChunk.FindAllStringSubmatch(seq, -1)
	if len(chunks) == 0 || kittyChunk.ReplaceAllString(seq, "") != "" {
		t.Fatalf("sent %.200q", seq)
	}
	options := "," + chunks[0][1] + ","
	for _, want := range []string{"a=T", "U=1", "i=19", "c=40", "r=10", "f=100", "q=2"} {
		if !strings.Contains(options, ","+want+",") {
			t.Errorf("no %s among %s", want, options)
		}
	}
	payload := ""
	for i, c := range chunks {
		if last := i == len(chunks)-1; len(c[2]) > 4096 || len(chunks) > 1 && strings.Contains(c[1], "m=0") != last {
			t.Errorf("piece %d of %d has %d bytes, %s", i, len(chunks), len(c[2]), c[1])
		}
		payload += c[2]
	}
	data, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Dx() != 400 || img.Bounds().Dy() != 200 {
		t.Fatalf("the picture: %v, %v", img.Bounds(), err)
	}
	wrapped, err := p.Transmit(drawing(t, 80, 40), true)
	if err != nil || !strings.HasPrefix(wrapped, "\x1bPtmux;\x1b\x1b_G") {
		t.Errorf("through tmux: %.40q, %v", wrapped, err)
	}
	if _, err := p.Transmit([]byte("no picture"), false); err == nil {
		t.Error("sent what is no picture")
	}
	if got := p.Delete(false); got != "\x1b_Ga=d,d=I,i=19,q=2\x1b\\" {
		t.Errorf("deleted by %q", got)
	}
}

// TestKittyCells draws the placeholders on an emulator: each is one cell wide, says its
// row and column, and has the picture's number as its colour.
func TestKittyCells(t *testing.T) {
	p := Placed{N: 250, Cols: 30, Rows: 5} // of another round
	em := vt.NewEmulator(40, 6)
	em.WriteString(strings.Join(p.Cells(), "\r\n"))
	seen := map[string]bool{}
	for y := range p.Rows {
		for x := range p.Cols {
			c := em.CellAt(x, y)
			if c == nil || c.Width != 1 || !strings.HasPrefix(c.Content, "\U0010EEEE") || seen[c.Content] {
				t.Fatalf("at %d, %d: %+v", x, y, c)
			}
			seen[c.Content] = true
			if c.Style.Fg != ansi.IndexedColor(firstID+250%IDs) {
				t.Errorf("at %d, %d: the colour is %v", x, y, c.Style.Fg)
			}
		}
		if c := em.CellAt(p.Cols, y); c.Content != " " {
			t.Errorf("behind row %d: %q", y, c.Content)
		}
	}
	for n := range 3 * IDs {
		if id := (Placed{N: n}).id(); id < firstID || id > 255-firstID {
			t.Fatalf("number %d has the id %d", n, id)
		}
	}
}

func TestWhole(t *testing.T) {
	data := drawing(t, 3000, 1000)
	room := Room{Cols: 80, Rows: 20, Cell: Cell{10, 20}}
	seq, err := Whole(ITerm, data, room, false)
	head, payload, _ := strings.Cut(strings.TrimSuffix(seq, "\a"), ":")
	if err != nil || !strings.HasPrefix(head, "\x1b]1337;File=") || !strings.Contains(head, "inline=1") || !strings.Contains(head, "width=80;height=14") {
		t.Fatalf("%q, %v", head, err)
	}
	file, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(file)); err != nil || img.Bounds().Dx() != 800 {
		t.Errorf("%v", err)
	}
	seq, err = Whole(Sixel, data, Room{Cols: 20, Rows: 20}, false)
	body, ok := strings.CutPrefix(strings.TrimSuffix(seq, "\x1b\\"), "\x1bP0;1q")
	if err != nil || !ok {
		t.Fatalf("%.40q, %v", seq, err)
	}
	img, err := (&sixel.Decoder{}).Decode(strings.NewReader(body))
	if err != nil || img.Bounds().Dx() != 160 || img.Bounds().Dy() < 53 || img.Bounds().Dy() > 20*16 {
		t.Fatalf("%v, %v", img, err)
	}
	if r, _, b, _ := img.At(20, 20).RGBA(); r < 0xe000 || b > 0x2000 {
		t.Errorf("not red: %x %x", r, b)
	}
	if r, _, b, _ := img.At(140, 20).RGBA(); b < 0xe000 || r > 0x2000 {
		t.Errorf("not blue: %x %x", r, b)
	}
	if seq, err = Whole(Kitty, data, room, false); err != nil || !strings.HasPrefix(seq, "\x1b_G") || strings.Contains(seq, "U=1") {
		t.Errorf("%.80q, %v", seq, err)
	}
	if _, err = Whole(Off, data, room, false); err == nil {
		t.Error("shown by nothing")
	}
	for _, way := range Ways() {
		if seq, err := Whole(Way(way), []byte("no picture"), room, false); err == nil {
			t.Errorf("%s shows %q", way, seq)
		}
	}
}

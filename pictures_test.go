package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"forge/agent/mark"
	"forge/agent/session"
	"forge/provider/demo"
)

// pictureFile writes a picture and returns its bytes.
func pictureFile(t *testing.T, path string, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// overheard is a model's server that keeps what it was asked.
func overheard(t *testing.T, script string) (url string, asked func() []string) {
	t.Helper()
	s, err := demo.Parse(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var bodies []string
	answer := demo.Serve(s, demo.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && len(body) > 0 {
			mu.Lock()
			bodies = append(bodies, string(body))
			mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), bodies...)
	}
}

// TestImageFlag sends pictures over both wires: the very bytes where they are small
// enough, a copy as large as models look at where they are not.
func TestImageFlag(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"openai", "anthropic"} {
		p := newProgram(t)
		small := pictureFile(t, filepath.Join(p.dir, "a shot.txt"), 640, 480) // whatever its name
		pictureFile(t, filepath.Join(p.dir, "large.png"), 3136, 100)
		url, asked := overheard(t, "text Seen.\nend\n\ntext Seen again.\nend\n")
		base := url
		if wire == "openai" {
			base += "/v1"
		}
		args := []string{"--base-url", base, "--wire", wire, "-m", "demo-1"}
		out, errOut, code := p.run(t, append(args, "-p", "what is it?", "--image", "a shot.txt", "--image", "large.png")...)
		if code != 0 || out != "Seen.\n" {
			t.Fatalf("%s: exit %d, %s%s", wire, code, out, errOut)
		}
		// The conversation still has them when it goes on.
		if _, errOut, code = p.run(t, append(args, "-c", "-p", "and now?")...); code != 0 {
			t.Fatalf("%s: exit %d, %s", wire, code, errOut)
		}
		for i, body := range asked() {
			user := gjson.Get(body, `messages.#(role=="user").content`)
			var datas []string
			text := ""
			for _, part := range user.Array() {
				switch part.Get("type").String() {
				case "text":
					text += part.Get("text").String()
				case "image_url":
					data, ok := strings.CutPrefix(part.Get("image_url.url").String(), "data:image/png;base64,")
					if !ok {
						t.Errorf("%s: %.40s", wire, part.Raw)
					}
					datas = append(datas, data)
				case "image":
					if part.Get("source.type").String() != "base64" || part.Get("source.media_type").String() != "image/png" {
						t.Errorf("%s: %.80s", wire, part.Raw)
					}
					datas = append(datas, part.Get("source.data").String())
				}
			}
			if len(datas) != 2 || datas[0] != base64.StdEncoding.EncodeToString(small) {
				t.Fatalf("%s, request %d: %d pictures\n%.400s", wire, i, len(datas), body)
			}
			data, err := base64.StdEncoding.DecodeString(datas[1])
			if err != nil {
				t.Fatal(err)
			}
			c, _, err := image.DecodeConfig(bytes.NewReader(data))
			if err != nil || c.Width != 1568 || c.Height != 50 {
				t.Errorf("%s: the large one is %dx%d, %v", wire, c.Width, c.Height, err)
			}
			if !strings.Contains(text, "what is it?") || !strings.Contains(text, "[image 1: 640x480 ") || !strings.Contains(text, "[image 2: 1568x50 ") {
				t.Errorf("%s: the words are %q", wire, text)
			}
		}
		if n := len(asked()); n != 2 {
			t.Errorf("%s: %d requests", wire, n)
		}
	}
}

func TestImageFlagRefused(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "words.png", "no picture at all")
	p.write(t, "old.bmp", "BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00")
	p.write(t, "half.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	for file, want := range map[string]string{
		"gone.png": "gone.png: no such file", "words.png": "words.png: not a PNG, JPEG, GIF or WebP picture",
		"old.bmp": "old.bmp: models take PNG, JPEG, GIF and WebP; convert it first", "half.png": "half.png: the picture is broken", ".": ". is no file",
	} {
		_, errOut, code := p.run(t, "-p", "look", "--demo", "--image", file)
		if code != 2 || !strings.Contains(errOut, want) && !strings.Contains(errOut, "cannot find") {
			t.Errorf("%s: exit %d, %s", file, code, errOut)
		}
	}
}

// TestImagesAlone sends pictures without a word, and nothing stays behind where no
// conversation is kept.
func TestImagesAlone(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	pictureFile(t, filepath.Join(p.dir, "a.png"), 3, 2)
	url, asked := overheard(t, "text Seen.\nend\n")
	out, errOut, code := p.run(t, "run", "--base-url", url+"/v1", "--wire", "openai", "-m", "demo-1", "--no-session", "--image", "a.png")
	if code != 0 || out != "Seen.\n" || len(asked()) != 1 || !strings.Contains(asked()[0], "image_url") {
		t.Errorf("exit %d, %s%s", code, out, errOut)
	}
	if kept, err := filepath.Glob(filepath.Join(p.home, "state", "forge", "pictures", "*")); err != nil || len(kept) != 0 {
		t.Errorf("kept %v, %v", kept, err)
	}
}

// TestManyLargePicturesShareTheRoom: a message with all of them has to fit a record of
// the session, or it would be kept without them.
func TestManyLargePicturesShareTheRoom(t *testing.T) {
	f := &forge{pictures: session.Pictures{Dir: t.TempDir()}}
	words := ""
	for n := range 4 {
		img := image.NewRGBA(image.Rect(0, 0, 900, 900))
		r := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range img.Pix {
			img.Pix[i] = byte(r.Uint32()) | 0x80*byte(i&3/3) // nearly opaque
		}
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		name, err := f.pictures.Keep(b.Bytes(), ".png")
		if err != nil {
			t.Fatal(err)
		}
		words += mark.Mark{N: n + 1, Width: 900, Height: 900, Name: name}.String()
	}
	found, gone := f.sent(words)
	if len(found) != 4 || gone != nil {
		t.Fatalf("%d pictures, %v", len(found), gone)
	}
	sum := 0
	for _, img := range found {
		sum += len(img.Data)
	}
	if sum > 13<<20 {
		t.Errorf("%d bytes together", sum)
	}
	one, gone := f.sent(words[:strings.Index(words, "]")+1])
	if len(one) != 1 || gone != nil || one[0].MIME != "image/png" || len(one[0].Data) < 3<<20 {
		t.Errorf("one alone is not sent as it is: %d pictures, %v", len(one), gone)
	}
}

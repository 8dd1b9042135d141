package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"forge/tools"
	"forge/tools/picture"
)

// maxImages is how many pictures of one result a model is shown.
const maxImages = 20

// A mapper turns what servers answer into what a model is told. dir is where what
// cannot be told is kept as a file; empty: it is dropped with a word.
type mapper struct{ dir string }

// result maps a tool's result. The second text is for eyes only.
func (m mapper) result(r RemoteResult) (tools.Result, string) {
	var text, eyes []string
	res := tools.Result{IsError: r.IsError}
	for _, c := range r.Content {
		t, img := m.part(c)
		if !c.forModel() {
			eyes = append(eyes, t)
			continue
		}
		if img != nil && len(res.Images) == maxImages {
			t, img = t+" (left out: there are too many)", nil
		}
		if img != nil {
			res.Images = append(res.Images, *img)
		}
		text = append(text, t)
	}
	if r.Structured != nil && string(r.Structured) != "null" && !carried(r.Structured, r.Content) {
		text = append(text, clean(string(withoutBase64(r.Structured))))
	}
	res.Text = strings.Join(text, "\n")
	share(res.Images)
	if strings.TrimSpace(res.Text) == "" && len(res.Images) == 0 {
		res.Text = "(the tool answered nothing)"
		if r.IsError {
			res.Text = "(the tool failed and gave no reason)"
		}
	}
	return res, strings.Join(eyes, "\n")
}

// mostPictures is what the pictures of one result may weigh together, in bytes of base64:
// requests and stored records have an end.
const mostPictures = 12 << 20

// share makes the pictures of a result smaller where all of them together are too large.
func share(images []tools.Image) {
	sum := 0
	for _, img := range images {
		sum += len(img.Data)
	}
	if sum <= mostPictures {
		return
	}
	for i, img := range images {
		data, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil {
			continue // it was encoded here
		}
		if pic, err := picture.Fit(data, picture.Limits{Bytes: mostPictures / len(images) / 4 * 3}); err == nil {
			images[i] = tools.Image{MIME: pic.MIME, Data: base64.StdEncoding.EncodeToString(pic.Data)}
		}
	}
}

// part maps one part: the text of it, and the picture if it is one a model can be
// shown.
func (m mapper) part(c Content) (string, *tools.Image) {
	kind := strings.ToLower(strings.TrimSpace(c.MIME))
	kind, _, _ = strings.Cut(kind, ";")
	switch c.Kind {
	case "text":
		return clean(c.Text), nil
	case "image":
		if c.Broken != "" {
			return fmt.Sprintf("[an image that cannot be read: %s]", c.Broken), nil
		}
		return m.image(c.Data, kind)
	case "audio":
		if c.Broken != "" {
			return fmt.Sprintf("[audio that cannot be read: %s]", c.Broken), nil
		}
		return m.file("audio", c.Data, kind), nil
	case "link":
		s := fmt.Sprintf("[resource %s, %s", clean(c.Name), clean(c.URI))
		if kind != "" {
			s += ", " + clean(kind)
		}
		if c.Size > 0 {
			s += ", " + size(c.Size)
		}
		s += "; read_resource reads it]"
		if c.Note != "" {
			s += " " + clean(c.Note)
		}
		return s, nil
	case "resource":
		name := "resource " + clean(c.URI)
		switch {
		case c.Broken != "":
			return fmt.Sprintf("[%s cannot be read: %s]", name, c.Broken), nil
		case c.Data != nil && strings.HasPrefix(kind, "image/"):
			t, img := m.image(c.Data, kind)
			return "[" + name + "] " + t, img
		case c.Data != nil:
			return m.file(name, c.Data, kind), nil
		}
		return "[" + name + "]\n" + clean(c.Text), nil
	}
	return fmt.Sprintf("[content of type %q, which forge does not know] %s", clip(clean(c.Kind), 40), clip(clean(c.Text), 2000)), nil
}

// image shows a picture, scaled down where it is too large, or keeps it as a file if no
// model takes it.
func (m mapper) image(data []byte, kind string) (string, *tools.Image) {
	pic, err := picture.Fit(data, picture.Limits{})
	if errors.Is(err, picture.ErrNone) {
		return m.file("image", data, kind), nil
	}
	what := strings.TrimPrefix(picture.Kind(data), "image/") + " image"
	if err != nil && errors.Unwrap(err) != nil {
		return fmt.Sprintf("[%s that cannot be read: %v]", what, errors.Unwrap(err)), nil
	}
	if err != nil {
		return m.file(what+", too large to be shown", data, picture.Kind(data)), nil
	}
	w, h, shown := pic.Width, pic.Height, ""
	if pic.Scaled() {
		w, h, shown = pic.FromWidth, pic.FromHeight, fmt.Sprintf("; shown at %d×%d", pic.Width, pic.Height)
	}
	// What is told is the picture's own kind: a wrong label makes a provider refuse the
	// whole request.
	return fmt.Sprintf("[%s, %d×%d pixels, %s%s]", what, w, h, size(int64(len(data))), shown),
		&tools.Image{MIME: pic.MIME, Data: base64.StdEncoding.EncodeToString(pic.Data)}
}

// file keeps data that is no text and names the file.
func (m mapper) file(what string, data []byte, kind string) string {
	if kind == "" {
		kind = "application/octet-stream"
	}
	about := fmt.Sprintf("[%s, %s, %s", what, clean(kind), size(int64(len(data))))
	if m.dir == "" {
		return about + "; not kept]"
	}
	err := os.MkdirAll(m.dir, 0o700)
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(m.dir, "mcp-*"+extension(kind)) // 0600
	}
	if err == nil {
		_, err = f.Write(data)
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return fmt.Sprintf("%s; it could not be kept: %v]", about, err)
	}
	path, err := filepath.Abs(f.Name())
	if err != nil {
		path = f.Name()
	}
	return about + "; it is in " + path + "]"
}

// extension gives the usual ending of a kind of file, the same on every machine for
// the kinds that are common here.
func extension(kind string) string {
	switch kind {
	case "image/png", "image/gif", "image/webp", "audio/wav", "application/pdf", "application/zip":
		return "." + kind[strings.IndexByte(kind, '/')+1:]
	case "image/jpeg":
		return ".jpg"
	case "image/svg+xml":
		return ".svg"
	case "audio/mpeg", "audio/mp3":
		return ".mp3"
	case "application/gzip":
		return ".gz"
	}
	if e, err := mime.ExtensionsByType(kind); err == nil && len(e) > 0 {
		return e[0]
	}
	return ".bin"
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// carried says whether the text of a result says what its structured part does, as
// the protocol wants it: the same JSON, or the one text the object holds.
func carried(structured json.RawMessage, parts []Content) bool {
	want := canonical(structured)
	var all []string
	for _, c := range parts {
		if c.Kind != "text" || !c.forModel() {
			continue
		}
		all = append(all, c.Text)
		if t := strings.TrimSpace(c.Text); t != "" && (t[0] == '{' || t[0] == '[') && bytes.Equal(canonical(json.RawMessage(t)), want) {
			return true
		}
	}
	joined := strings.TrimSpace(strings.Join(all, "\n"))
	if joined == "" {
		return false
	}
	var one map[string]json.RawMessage
	if json.Unmarshal(structured, &one) == nil && len(one) == 1 {
		for _, v := range one {
			return strings.TrimSpace(unquote(v)) == joined
		}
	}
	return strings.TrimSpace(unquote(structured)) == joined
}

// canonical is JSON with sorted keys and no spaces, numbers as they were written;
// nil if raw is none.
func canonical(raw json.RawMessage) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// withoutBase64 takes long binary texts out of JSON: they stand in the content
// beside it, and a model can do nothing with them.
func withoutBase64(raw json.RawMessage) []byte {
	if len(raw) < 2048 {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	changed := false
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			if len(v) > 1024 && !strings.ContainsAny(v[:1024], " \t{<") {
				if data, broken := decodeBase64(v); broken == "" {
					changed = true
					return fmt.Sprintf("(%s in base64 left out)", size(int64(len(data))))
				}
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	v = walk(v)
	if !changed {
		return raw
	}
	b, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return b
}

package acp

import (
	"encoding/base64"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"forge/lazy"
	"forge/provider"
	"forge/ui/lang"
)

// words makes a prompt of its blocks. What the editor hands over whole goes with it as
// something attached; a link to a file of the workspace becomes the mention of it that a
// person would have typed, so that it is read through the tools, which know what may not
// be read.
func words(blocks []block, root string) (Words, error) {
	var w Words
	var b strings.Builder
	for i, x := range blocks {
		switch x.Type {
		case "text":
			if x.Text == nil {
				return w, fail(codeParams, lang.T("block %d of the prompt has no text", i+1))
			}
			b.WriteString(*x.Text)
		case "image":
			pic, err := base64.StdEncoding.DecodeString(x.Data)
			if err != nil || len(pic) == 0 {
				return w, fail(codeParams, lang.T("block %d of the prompt is no picture in base64", i+1))
			}
			w.Pictures = append(w.Pictures, pic)
		case "resource_link":
			name, lines, ok := within(x.URI, root)
			switch {
			case ok && !strings.ContainsAny(name, "\"\n"):
				aside(&b, `@"`+name+`"`+lines)
			case x.Name != "" && x.Name != x.URI:
				aside(&b, x.Name+" ("+x.URI+")")
			default:
				aside(&b, x.URI)
			}
		case "resource":
			if x.Resource == nil || x.Resource.Text == nil && x.Resource.Blob == "" {
				return w, fail(codeParams, lang.T("block %d of the prompt has no resource", i+1))
			}
			if err := w.take(&b, *x.Resource, root); err != nil {
				return w, err
			}
		default:
			return w, fail(codeParams, lang.T("block %d of the prompt has the type %q; text, image, resource and resource_link are taken", i+1, x.Type))
		}
	}
	w.Text = b.String()
	if strings.TrimSpace(w.Text) == "" && len(w.Pictures) == 0 {
		return w, fail(codeParams, lang.T("the prompt is empty"))
	}
	return w, nil
}

// take puts a resource beside the words, and its name where it stood.
func (w *Words) take(b *strings.Builder, r resource, root string) error {
	label, lines, ok := within(r.URI, root)
	if !ok {
		label = r.URI
	}
	label += lines
	aside(b, "`"+strings.ReplaceAll(label, "`", "'")+"`")
	if r.Text != nil {
		w.Attached = append(w.Attached, provider.Attached{Label: label, Text: *r.Text})
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(r.Blob)
	if err != nil {
		return fail(codeParams, lang.T("the resource %q is not in base64", r.URI))
	}
	if strings.HasPrefix(r.MIME, "image/") {
		w.Pictures = append(w.Pictures, data)
		return nil
	}
	return fail(codeParams, lang.T("the resource %q is neither text nor a picture; give its path, and tools can look at it", r.URI))
}

// aside writes a name between words, with blanks where they would run together. It is on
// one line: what a page or a file is called is not what the person says.
func aside(b *strings.Builder, name string) {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, name)
	if s := b.String(); s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\n") {
		b.WriteByte(' ')
	}
	b.WriteString(name)
	b.WriteByte(' ')
}

// fragment is the lines a link may name: L3, L3-9, L3:9 and such.
var fragment = lazy.Regexp{Expr: `^L?(\d{1,9})(?:[-:]L?(\d{1,9}))?$`}

// within is the path of a file URI below root, with slashes, and the lines it names as a
// mention has them; false: it is another thing.
func within(uri, root string) (name, lines string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", "", false
	}
	file := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" { // file:///C:/a
		file = strings.TrimPrefix(file, `\`)
	}
	for _, base := range []string{root, real(root)} {
		rel, err := filepath.Rel(base, file)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		if m := fragment.Get().FindStringSubmatch(u.Fragment); m != nil {
			if lines = ":" + m[1]; m[2] != "" {
				lines += "-" + m[2]
			}
		}
		return path.Clean(filepath.ToSlash(rel)), lines, true
	}
	return "", "", false
}

func real(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	return dir
}

package export

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"io"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// The page loads nothing: what it needs stands in it, and its policy forbids the
// rest, so that no text of a conversation can speak to another machine.
const pageHead = `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>
:root{color-scheme:light dark}
body{font:16px/1.55 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;color:GrayText;font-size:.9rem}dd{margin:0}
section{margin:1.2rem 0;overflow-wrap:anywhere}.who{font-weight:600;font-size:.85rem;color:GrayText}
.user{border-left:3px solid #3b82f6;padding-left:.8rem}.user .text{white-space:pre-wrap}
.bad summary{color:#c0392b}.note,.cut{color:GrayText}
pre{background:color-mix(in srgb,CanvasText 7%%,Canvas);padding:.7rem;border-radius:.3rem;overflow-x:auto;font-size:.85rem;white-space:pre-wrap}
code{font-family:ui-monospace,monospace}summary{cursor:pointer;font-family:ui-monospace,monospace;font-size:.85rem}
img{max-width:100%%}table{border-collapse:collapse}td,th{border:1px solid GrayText;padding:.2rem .5rem}
</style></head><body>
<h1>%s</h1>
<dl>
`

func writeHTML(w io.Writer, t Talk) error {
	b := bufio.NewWriter(w)
	title := html.EscapeString(t.title())
	fmt.Fprintf(b, pageHead, title, title)
	for _, f := range t.facts() {
		fmt.Fprintf(b, "<dt>%s</dt><dd>%s</dd>\n", f[0], html.EscapeString(f[1]))
	}
	b.WriteString("</dl>\n")
	md := goldmark.New(goldmark.WithExtensions(extension.GFM)) // raw HTML and dangerous links are left out by it
	who := ""
	for _, p := range t.parts() {
		class := p.kind
		if p.bad {
			class += " bad"
		}
		fmt.Fprintf(b, "<section class=%q>", class)
		if p.who != "" && p.who != who {
			who = p.who
			fmt.Fprintf(b, "<div class=who>%s</div>", html.EscapeString(who))
		}
		text := html.EscapeString(p.text)
		switch {
		case p.mime != "":
			b.WriteString(picture(p))
		case p.kind == "answer":
			var out bytes.Buffer
			if err := md.Convert([]byte(p.text), &out); err != nil {
				out.Reset()
				fmt.Fprintf(&out, "<pre>%s</pre>", text)
			}
			b.Write(out.Bytes())
		case p.kind == "user", p.kind == "note":
			fmt.Fprintf(b, "<div class=text>%s</div>", text)
		case p.text == "":
			fmt.Fprintf(b, "<code>%s</code>", html.EscapeString(p.head))
		default:
			fmt.Fprintf(b, "<details><summary>%s</summary><pre>%s</pre></details>", html.EscapeString(summary(p)), text)
		}
		b.WriteString("</section>\n")
	}
	b.WriteString("</body></html>\n")
	return b.Flush()
}

func summary(p part) string {
	s := p.head
	switch {
	case p.kind == "result" && p.bad:
		s += ": failed"
	case p.kind == "result":
		s += ": result"
	}
	return s
}

// picture is an image that is one; whatever else calls itself so is left out.
func picture(p part) string {
	src, ok := source(p)
	if !ok {
		return "<em>(picture left out)</em>"
	}
	return fmt.Sprintf(`<img alt="picture" src="%s">`, src)
}

// source is a picture as an address that holds it, made of nothing but its bytes and a
// kind that is known.
func source(p part) (string, bool) {
	data, err := base64.StdEncoding.DecodeString(p.text)
	switch p.mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return "data:" + p.mime + ";base64," + base64.StdEncoding.EncodeToString(data), err == nil
	}
	return "", false
}

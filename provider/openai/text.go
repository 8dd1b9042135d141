package openai

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// content reads text: a string nearly everywhere, an array of parts at Mistral.
func (d *decoder) content(v gjson.Result, flagged bool) {
	switch {
	case v.Type == gjson.String:
		if v.Str != "" {
			d.flaggedText(own(v), flagged)
		}
	case v.IsArray():
		v.ForEach(func(_, part gjson.Result) bool {
			d.part(part)
			return true
		})
	case v.IsObject():
		d.part(v)
	}
}

func (d *decoder) part(v gjson.Result) {
	switch v.Get("type").Str {
	case "text", "output_text", "":
		if t := v.Get("text"); t.Type == gjson.String {
			d.text(own(t))
		}
	case "refusal":
		d.refusal.WriteString(v.Get("refusal").Str)
	case "thinking":
		in := v.Get("thinking")
		if in.Type == gjson.String {
			d.thinking(own(in), fieldParts)
			return
		}
		in.ForEach(func(_, p gjson.Result) bool {
			d.thinking(own(p.Get("text")), fieldParts)
			return true
		})
	}
}

// flaggedText is content of a server that marks its reasoning beside the text and
// also puts tags around it (Gemini).
func (d *decoder) flaggedText(s string, flagged bool) {
	const open, closing = "<thought>", "</thought>"
	if flagged {
		if !d.thought {
			s = strings.TrimPrefix(s, open)
		}
		d.thought = true
		if rest, ok := strings.CutSuffix(s, closing); ok {
			s, d.thought = rest, false
		}
		d.thinking(s, fieldThought)
		return
	}
	if d.thought {
		d.thought = false
		if before, after, ok := strings.Cut(s, closing); ok {
			d.thinking(before, fieldThought)
			s = after
		}
	}
	d.text(s)
}

func (d *decoder) text(s string) {
	if s == "" {
		return
	}
	d.payload++
	d.sample.add(s)
	d.emit(provider.TextDelta{Index: d.block(blockText), Text: s})
}

func (d *decoder) thinking(s, field string) {
	if s == "" {
		return
	}
	d.payload++
	at := d.block(blockThinking)
	if d.thinkingAt < 0 {
		d.thinkingAt = at
	}
	d.emit(provider.ThinkingDelta{Index: at, Text: s, Field: field})
}

// block returns the index of the open block of that kind, opening one if need be.
func (d *decoder) block(kind blockKind) int {
	if d.open != kind {
		d.open, d.openAt = kind, d.next
		d.next++
	}
	return d.openAt
}

// own copies a string out of the frame. One with escapes is a copy already.
func own(v gjson.Result) string {
	if len(v.Raw) == len(v.Str)+2 {
		return strings.Clone(v.Str)
	}
	return v.Str
}

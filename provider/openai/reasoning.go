package openai

import (
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"forge/provider"
)

// The places a server may put reasoning in; Thinking.Field holds one of them.
const (
	fieldContent = "reasoning_content"
	fieldPlain   = "reasoning"
	fieldCopilot = "reasoning_text"
	fieldDetails = "reasoning_details"
	fieldParts   = "content"       // Mistral: parts of type thinking in the content array
	fieldThought = "extra_content" // Gemini: content that a flag beside it marks
)

// reasoning is what one delta holds of it.
type reasoning struct{ content, plain, copilot, details gjson.Result }

// reasoning takes the first field that says something: servers that fill two of
// them say the same thing twice.
func (d *decoder) reasoning(r reasoning) {
	said := false
	for _, f := range [...]struct {
		name string
		v    gjson.Result
	}{{fieldContent, r.content}, {fieldPlain, r.plain}, {fieldCopilot, r.copilot}} {
		if f.v.Type != gjson.String {
			continue
		}
		if f.v.Str != "" {
			d.thinking(own(f.v), f.name)
			said = true
			break
		}
		if d.emptyField == "" && f.name != fieldCopilot {
			d.emptyField = f.name
		}
	}
	if !r.details.IsArray() {
		return
	}
	r.details.ForEach(func(_, v gjson.Result) bool {
		if !v.IsObject() {
			return true
		}
		d.payload++
		if !said {
			if t := v.Get("text"); t.Type == gjson.String {
				d.thinking(own(t), fieldDetails)
			} else if t := v.Get("summary"); t.Type == gjson.String {
				d.thinking(own(t), fieldDetails)
			}
		}
		d.details.add(v)
		return true
	})
}

// flushReasoning attaches what must go back beside the reasoning's text: the
// details array, a signature, or the mere fact that the field was there and empty
// (DeepSeek insists on getting that back with a call).
func (d *decoder) flushReasoning() {
	extra := d.details.json()
	if blocks := d.blocks.json(); blocks != "" {
		d.extras.set("thinking_blocks", gjson.Parse(blocks))
	}
	if extra == "" {
		extra = d.extras.json()
	}
	switch {
	case extra != "":
		ev := provider.ThinkingDelta{Index: d.thinkingAt, Extra: extra}
		if d.thinkingAt < 0 {
			ev.Index, ev.Field = d.next, fieldDetails
			if extra[0] == '{' {
				ev.Field = ""
			}
			d.next++
		}
		d.emit(ev)
	case d.thinkingAt < 0 && d.emptyField != "" && len(d.calls) > 0:
		d.emit(provider.ThinkingDelta{Index: d.next, Field: d.emptyField})
		d.next++
	}
}

// details is the reasoning_details array as it must go back: pieces of one entry
// joined, entries in the order they came.
type details struct{ list []*detail }

type detail struct {
	kind, index, id string
	raw             []string // the pieces, as they came
}

// add takes one piece. Text and summaries of one index come in many pieces, the
// signature in the last; an encrypted entry always comes whole.
func (ds *details) add(v gjson.Result) {
	p := detail{kind: v.Get("type").String(), index: v.Get("index").Raw, id: text(v.Get("id"))}
	raw := strings.Clone(v.Raw)
	for i := len(ds.list) - 1; i >= 0; i-- {
		old := ds.list[i]
		if old.kind != p.kind || old.index != p.index || old.id != "" && p.id != "" && old.id != p.id {
			continue
		}
		if p.kind == "reasoning.encrypted" {
			if old.raw[0] == raw {
				return
			}
			break
		}
		old.raw = append(old.raw, raw)
		if old.id == "" {
			old.id = strings.Clone(p.id)
		}
		return
	}
	ds.list = append(ds.list, &detail{strings.Clone(p.kind), strings.Clone(p.index), strings.Clone(p.id), []string{raw}})
}

func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

func (ds *details) json() string {
	if len(ds.list) == 0 {
		return ""
	}
	var b strings.Builder
	for i, d := range ds.list {
		b.WriteByte("[,"[min(i, 1)])
		b.WriteString(d.json())
	}
	b.WriteByte(']')
	return b.String()
}

// json returns the entry: as it came where it came whole, else its first piece
// with the texts joined and what later pieces added.
func (d *detail) json() string {
	out := d.raw[0]
	if len(d.raw) == 1 {
		return out
	}
	var joined [2]strings.Builder
	keys := [2]string{"text", "summary"}
	has := [2]bool{}
	for n, raw := range d.raw {
		gjson.Parse(raw).ForEach(func(key, v gjson.Result) bool {
			for i, k := range keys {
				if key.Str == k && v.Type == gjson.String {
					joined[i].WriteString(v.Str)
					has[i] = true
					return true
				}
			}
			if n > 0 && v.Type != gjson.Null {
				if old := gjson.Get(out, gjson.Escape(key.Str)); !old.Exists() || old.Type == gjson.Null || old.Raw == `""` {
					out, _ = sjson.SetRaw(out, gjson.Escape(key.Str), v.Raw) // out and v are valid JSON, so it cannot fail
				}
			}
			return true
		})
	}
	for i, k := range keys {
		if has[i] {
			out, _ = sjson.Set(out, k, joined[i].String()) // likewise
		}
	}
	return out
}

// extras are single values beside the message that go back as they came.
type extras struct{ keys, raw []string }

func (x *extras) set(key string, v gjson.Result) {
	if v.Type == gjson.Null || v.Raw == `""` {
		return
	}
	for i, k := range x.keys {
		if k == key {
			x.raw[i] = strings.Clone(v.Raw)
			return
		}
	}
	x.keys, x.raw = append(x.keys, key), append(x.raw, strings.Clone(v.Raw))
}

func (x *extras) json() string {
	if len(x.keys) == 0 {
		return ""
	}
	var b strings.Builder
	for i, k := range x.keys {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(`"` + k + `":` + x.raw[i])
	}
	b.WriteByte('}')
	return b.String()
}

package anthropic

import (
	"bytes"

	"forge/provider"
)

var (
	quickHead  = []byte(`{"type":"content_block_delta","index":`)
	quickDelta = []byte(`,"delta":{"type":"`)
	quickKinds = []struct {
		kind kind
		head []byte
	}{
		{text, []byte(`text_delta","text":"`)},
		{thinking, []byte(`thinking_delta","thinking":"`)},
		{call, []byte(`input_json_delta","partial_json":"`)},
	}
)

// quick takes the one event of which a long reply consists, a delta of plain words
// for a block that is open, in the one spelling the vendor and most others use. It
// reports false for everything else, however little it differs: that is read as
// JSON. A long answer costs a third of what it would without.
func (d *decoder) quick(data []byte) bool {
	rest, ok := bytes.CutPrefix(data, quickHead)
	if !ok || d.broken {
		return false
	}
	index, digits := 0, 0
	for digits < len(rest) && digits < 4 && rest[digits] >= '0' && rest[digits] <= '9' {
		index = 10*index + int(rest[digits]-'0')
		digits++
	}
	rest, ok = bytes.CutPrefix(rest[digits:], quickDelta)
	b := d.at(index)
	if !ok || digits == 0 || digits > 1 && data[len(quickHead)] == '0' || b == nil {
		return false
	}
	for _, k := range quickKinds {
		if k.kind != b.kind {
			continue
		}
		if rest, ok = bytes.CutPrefix(rest, k.head); !ok {
			return false
		}
		words, end := d.plainString(rest)
		if len(words) == 0 {
			return false
		}
		tail := rest[end+1:]
		if len(tail) < 2 || tail[0] != '}' || tail[len(tail)-1] != '}' || len(bytes.TrimLeft(tail[1:], " ")) != 1 {
			return false
		}
		if d.progress != nil {
			d.progress()
		}
		d.say(b, string(words))
		return true
	}
	return false
}

// plainString reads a JSON string whose first quote is gone, up to its last, whose
// place it returns. It knows the escapes of one letter; a string with any other, or
// none at all, is nil. The bytes are good until the next call.
func (d *decoder) plainString(s []byte) (words []byte, end int) {
	from := 0
	d.scratch = d.scratch[:0]
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			if from == 0 {
				return s[:i], i
			}
			d.scratch = append(d.scratch, s[from:i]...)
			return d.scratch, i
		case c < ' ':
			return nil, 0
		case c == '\\':
			d.scratch = append(d.scratch, s[from:i]...)
			if i++; i == len(s) || escapes[s[i]] == 0 {
				return nil, 0
			}
			d.scratch = append(d.scratch, escapes[s[i]])
			from = i + 1
		}
	}
	return nil, 0
}

// escapes are what a letter behind a backslash stands for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// say adds words to a text, a thinking or a call.
func (d *decoder) say(b *block, words string) {
	switch b.kind {
	case text:
		d.emit(provider.TextDelta{Index: d.place(b), Text: words})
	case thinking:
		d.emit(provider.ThinkingDelta{Index: d.place(b), Text: words})
	case call:
		b.streamed = true
		d.emit(provider.ToolUseDelta{Index: b.index, JSON: words})
	}
}

package provider

import "iter"

// Collect drains a stream, hands each event to each (which may be nil), and
// returns the message they add up to. Beside an error it returns what had
// arrived, with Stop StopAborted; a Retry in the stream voids what came before.
func Collect(s iter.Seq2[Event, error], each func(Event)) (Message, error) {
	var a assembly
	for ev, err := range s {
		if err != nil {
			m := a.message()
			m.Stop = StopAborted
			return m, err
		}
		a.add(ev)
		if each != nil {
			each(ev)
		}
	}
	return a.message(), nil
}

// assembly grows a message. Growing strings are kept in byte slices, since a
// string concatenation per delta is quadratic over a long answer.
type assembly struct {
	origin string
	blocks []part
	stop   Stop
}

type part struct {
	text, signature, input []byte
	block                  Block // its kind and its fixed fields
}

func (a *assembly) at(i int) *part {
	for len(a.blocks) <= i {
		a.blocks = append(a.blocks, part{})
	}
	return &a.blocks[i]
}

func (a *assembly) add(ev Event) {
	switch e := ev.(type) {
	case Start:
		a.origin = e.Origin
	case Retry:
		*a = assembly{}
	case TextDelta:
		p := a.at(e.Index)
		if p.block == nil {
			p.block = Text{}
		}
		p.text = append(p.text, e.Text...)
	case ThinkingDelta:
		p := a.at(e.Index)
		t, _ := p.block.(Thinking)
		if e.Field != "" {
			t.Field = e.Field
		}
		if e.Extra != "" {
			t.Extra = e.Extra
		}
		p.block = t
		p.text = append(p.text, e.Text...)
		p.signature = append(p.signature, e.Signature...)
	case ToolUseStart:
		a.at(e.Index).block = ToolUse{ID: e.ID, WireID: e.WireID, Name: e.Name, Extra: e.Extra}
	case ToolUseDelta:
		p := a.at(e.Index)
		u, _ := p.block.(ToolUse)
		if e.Extra != "" {
			u.Extra = e.Extra
		}
		p.block = u
		p.input = append(p.input, e.JSON...)
	case OpaqueBlock:
		a.at(e.Index).block = e.Block
	case Stop:
		a.stop = e
	}
}

func (a *assembly) message() Message {
	m := Message{Role: Assistant, Origin: a.origin, Stop: a.stop.Reason, Usage: a.stop.Usage}
	for _, p := range a.blocks {
		switch b := p.block.(type) {
		case nil: // an index a wire skipped; nothing was said there
		case Text:
			b.Text = string(p.text)
			m.Blocks = append(m.Blocks, b)
		case Thinking:
			b.Text, b.Signature = string(p.text), string(p.signature)
			m.Blocks = append(m.Blocks, b)
		case ToolUse:
			b.Input = string(p.input)
			m.Blocks = append(m.Blocks, b)
		default:
			m.Blocks = append(m.Blocks, b)
		}
	}
	return m
}

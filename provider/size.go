package provider

// Size is about how many bytes the body of r takes, escapes included: what a wire
// makes room for at once, so that a long history is not copied while it is written.
func (r Request) Size() int {
	n := len(r.System)
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range r.Messages {
		n += sizeOf(m.Blocks)
	}
	const other = 1 << 10 // what stands beside system, tools and messages
	return n + n/8 + other
}

func sizeOf(bs []Block) (n int) {
	const braces = 96 // the names of a block's fields
	for _, b := range bs {
		n += braces
		switch b := b.(type) {
		case Text:
			n += len(b.Text)
		case Thinking:
			n += len(b.Text) + len(b.Signature) + len(b.Extra)
		case ToolUse:
			n += len(b.Name) + len(b.Input) + len(b.Extra)
		case ToolResult:
			n += sizeOf(b.Content)
		case Image:
			n += len(b.Data)
		case Opaque:
			n += len(b.JSON)
		}
	}
	return n
}

package acp

import (
	"encoding/json"
	"strings"

	"forge/ui/lang"
)

// mostKept is how much is kept of a run for those who come while it is on, in bytes. What
// is told of it beyond that loses its contents, the oldest first, and then itself: loading
// the conversation again when the run is over tells all of it.
const mostKept = 8 << 20

// journal is what was told since a run began, so that whoever comes later can be told it.
// What was replaced since is told as it is now.
type journal struct {
	told []kept
	size int
	live map[string]int // where the output of a call stands that runs
	cut  bool           // something is missing
}

type kept struct {
	u    any
	text *strings.Builder // of chunks of one message
	size int
}

// add keeps one more. It is called with every update, in order.
func (j *journal) add(u any) {
	x, ok := u.(update)
	if !ok {
		j.keep(kept{u: u, size: sizeOf(u)})
		return
	}
	switch x.Kind {
	case "config_option_update", "available_commands_update", "current_mode_update": // whoever comes is told as they are then
		return
	case "agent_message_chunk", "agent_thought_chunk", "user_message_chunk":
		b, text := x.Content.(block)
		if !text || b.Type != "text" {
			break
		}
		if n := len(j.told); n > 0 {
			if l := &j.told[n-1]; l.text != nil && l.u.(update).Kind == x.Kind && l.u.(update).Message == x.Message {
				l.text.WriteString(*b.Text)
				l.size += len(*b.Text)
				j.size += len(*b.Text)
				j.trim()
				return
			}
		}
		k := kept{u: x, text: &strings.Builder{}, size: len(*b.Text) + 200}
		k.text.WriteString(*b.Text)
		j.keep(k)
		return
	case "tool_call_update":
		k := kept{u: x, size: sizeOf(x)}
		if x.Status != "" || x.Title != "" || x.Content == nil {
			break
		}
		if at, ok := j.live[x.Call]; ok {
			j.size += k.size - j.told[at].size
			j.told[at] = k
			return
		}
		if j.live == nil {
			j.live = map[string]int{}
		}
		j.live[x.Call] = len(j.told)
		j.keep(k)
		return
	}
	j.keep(kept{u: x, size: sizeOf(x)})
}

func (j *journal) keep(k kept) {
	j.told = append(j.told, k)
	j.size += k.size
	j.trim()
}

// trim gives up what is too much, down to half of it, so that it is not done each time.
func (j *journal) trim() {
	if j.size <= mostKept {
		return
	}
	j.cut, j.live = true, nil
	for i := 0; i < len(j.told)-1 && j.size > mostKept/2; i++ {
		x, ok := j.told[i].u.(update)
		if !ok || x.Content == nil && x.RawInput == nil {
			continue
		}
		if strings.HasSuffix(x.Kind, "_chunk") {
			x = update{}
		}
		x.Content, x.RawInput = nil, nil
		k := kept{u: x, size: sizeOf(x)}
		j.size += k.size - j.told[i].size
		j.told[i] = k
	}
	from := 0
	for ; from < len(j.told)-1 && j.size > mostKept/2; from++ {
		j.size -= j.told[from].size
	}
	var rest []kept
	for _, k := range j.told[from:] {
		if x, ok := k.u.(update); !ok || x.Kind != "" {
			rest = append(rest, k)
			continue
		}
		j.size -= k.size
	}
	j.told = rest
}

// tell tells all of it.
func (j *journal) tell(to func(u any)) {
	if j.cut {
		to(update{Kind: "agent_thought_chunk", Message: past + "cut", Content: textBlock(lang.T("some of what has happened since the prompt is left out here; loading the conversation again once the prompt is worked on tells it all") + "\n\n")})
	}
	for _, k := range j.told {
		u := k.u
		if k.text != nil {
			x := u.(update)
			x.Content = textBlock(k.text.String())
			u = x
		}
		to(u)
	}
}

// sizeOf is about how large an update is as it is sent.
func sizeOf(u any) int {
	b, err := json.Marshal(u)
	if err != nil {
		return 0
	}
	return len(b)
}

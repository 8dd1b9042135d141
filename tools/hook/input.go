package hook

import (
	"maps"
	"strings"
	"time"

	"forge/lazy"
)

// input is what a hook is told: an object on its standard input, and for some its
// environment.
type input struct {
	payload map[string]any
}

// modes are permission modes as they are called elsewhere.
var modes = lazy.Value[map[string]string]{Of: func() map[string]string {
	return map[string]string{"ask": "default", "edits": "acceptEdits", "plan": "plan", "auto": "auto", "yolo": "bypassPermissions"}
}}

// eventNames are events as a dialect calls them where that is another name.
func eventName(e Event, d Dialect) string {
	if d == Gemini {
		for name, es := range foreign.Get() {
			if es[0] == e || len(es) > 1 && es[1] == e {
				return name
			}
		}
	}
	return string(e)
}

// about is an input with what all events have, and more.
func (s *Set) about(h *Hook, more map[string]any) input {
	p := map[string]any{
		"hook_event_name": eventName(h.Event, h.Dialect), "event": string(h.Event),
		"cwd": s.o.Dir, "session_id": "", "transcript_path": "",
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano),
	}
	if s.o.Session != nil {
		now := s.o.Session()
		p["session_id"], p["transcript_path"] = now.ID, now.Transcript
	}
	if s.o.Mode != nil {
		if m, ok := modes.Get()[s.o.Mode()]; ok {
			p["permission_mode"] = m
		}
	}
	maps.Copy(p, more)
	return input{p}
}

// mask hides secrets in what a hook is told.
func (s *Set) mask(text string) string {
	if s.o.Mask == nil {
		return text
	}
	return s.o.Mask(text)
}

// maxVariable bounds the value of a variable, in bytes: a system takes no longer ones.
const maxVariable = 32 << 10

// crushEnviron is what crush tells in variables.
func (in input) crushEnviron(e Event) []string {
	env := []string{"CRUSH=1", "AGENT=crush", "AI_AGENT=crush", "CRUSH_EVENT=" + string(e)}
	add := func(name string, v any) {
		if s, ok := v.(string); ok && len(s) <= maxVariable && !strings.ContainsRune(s, 0) {
			env = append(env, name+"="+s)
		}
	}
	add("CRUSH_SESSION_ID", in.payload["session_id"])
	add("CRUSH_CWD", in.payload["cwd"])
	add("CRUSH_TOOL_NAME", in.payload["tool_name"])
	if args, ok := in.payload["tool_input"].(map[string]any); ok {
		add("CRUSH_TOOL_INPUT_COMMAND", args["command"])
		add("CRUSH_TOOL_INPUT_FILE_PATH", args["file_path"])
	}
	return env
}

package hook

import (
	"context"
	"strings"
	"time"

	"forge/tools"
)

// Trial is how one hook answered an event that was made up for it.
type Trial struct {
	Hook    Hook
	Took    time.Duration
	What    string // as Last.What has it
	Context string // what it said to the model
	System  string // and to the person
	Input   map[string]any
}

// Try runs the hooks of an event as a session would, one behind the other, with a call or
// a text of the caller's. Nothing else comes of it.
func (s *Set) Try(ctx context.Context, e Event, call tools.Call, text string) (out []Trial) {
	var names []string
	more := func(*Hook) map[string]any { return map[string]any{} }
	switch e {
	case PreToolUse, PostToolUse, PostFailure:
		names = namesOf(call.Name, e)
	case PromptSubmit:
		more = func(*Hook) map[string]any { return map[string]any{"prompt": text} }
	case SessionStart:
		names = []string{"startup"}
		more = func(*Hook) map[string]any { return map[string]any{"source": "startup"} }
	case SessionEnd:
		names = []string{"other"}
		more = func(*Hook) map[string]any { return map[string]any{"reason": "other"} }
	case Stop, SubagentStop:
		more = func(*Hook) map[string]any {
			return map[string]any{"stop_hook_active": false, "last_assistant_message": text, "prompt_response": text}
		}
	case PreCompact:
		names = []string{"manual"}
		more = func(*Hook) map[string]any { return map[string]any{"trigger": "manual", "custom_instructions": ""} }
	case Notification:
		names = []string{"permission_prompt"}
		more = func(*Hook) map[string]any {
			return map[string]any{"notification_type": "permission_prompt", "message": text}
		}
	}
	for _, st := range s.matching(e, names) {
		began := time.Now()
		a := s.one(ctx, st, func(h *Hook) input {
			switch e {
			case PreToolUse:
				return s.ofCall(h, call, nil)
			case PostToolUse, PostFailure:
				return s.ofCall(h, call, map[string]any{"tool_response": response(h, call, tools.Result{Text: text, IsError: e == PostFailure}, s.o.Dir)})
			}
			return s.about(h, more(h))
		})
		out = append(out, Trial{Hook: st.hook, Took: time.Since(began), What: a.outcome(), Context: a.context, System: strings.TrimSpace(a.system), Input: a.input})
	}
	return out
}

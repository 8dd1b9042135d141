package hook

import (
	"context"
	"fmt"
	"strings"
)

// Word is what the hooks of a moment say. The zero Word says nothing.
type Word struct {
	Block   string // why it is not to be; of Stop: what is still to be done
	Halt    string // why the run ends
	Context string // for the model
	Notes   []string
}

// Prompt tells of words of the person's before the model is told.
func (s *Set) Prompt(ctx context.Context, text string) Word {
	return s.word(s.fire(ctx, PromptSubmit, nil, func(h *Hook) input {
		return s.about(h, map[string]any{"prompt": s.mask(text)})
	}), true)
}

// Rest tells that an agent is about to rest. again says that a hook has kept it from
// resting before; last is what it said. agent is the kind of a sub-agent, and child the
// record of its conversation; empty: it is the person's own.
func (s *Set) Rest(ctx context.Context, again bool, last, agent string, child Session) Word {
	e, names := Stop, []string(nil)
	more := map[string]any{"stop_hook_active": again, "last_assistant_message": s.mask(last), "prompt_response": s.mask(last)}
	if agent != "" {
		e, names = SubagentStop, []string{agent}
		more["agent_type"], more["agent_id"], more["agent_transcript_path"] = agent, child.ID, child.Transcript
	}
	return s.word(s.fire(ctx, e, names, func(h *Hook) input { return s.about(h, more) }), true)
}

// Compact tells that a conversation is about to be shortened; auto says that nobody asked
// for it.
func (s *Set) Compact(ctx context.Context, auto bool, tokens int) Word {
	trigger := "manual"
	if auto {
		trigger = "auto"
	}
	return s.word(s.fire(ctx, PreCompact, []string{trigger, "compact"}, func(h *Hook) input {
		more := map[string]any{"trigger": trigger, "custom_instructions": ""}
		if h.Dialect == Crush {
			more["tool_name"], more["tool_input"] = "compact", map[string]any{"token_count": tokens}
		}
		return s.about(h, more)
	}), true)
}

// Started tells that a conversation begins: source is "startup", "resume" or "clear".
func (s *Set) Started(ctx context.Context, source, model string) Word {
	return s.word(s.fire(ctx, SessionStart, []string{source}, func(h *Hook) input {
		return s.about(h, map[string]any{"source": source, "model": model})
	}), false)
}

// Ended tells that a conversation was left, which need not be the one there is now:
// reason is "clear", "resume", "prompt_input_exit" or "other".
func (s *Set) Ended(ctx context.Context, reason string, of Session) Word {
	return s.word(s.fire(ctx, SessionEnd, []string{reason}, func(h *Hook) input {
		return s.about(h, map[string]any{"reason": reason, "session_id": of.ID, "transcript_path": of.Transcript})
	}), false)
}

// Notified tells that the person is asked something. Nobody waits for it.
func (s *Set) Notified(kind, title, message string, told func(Word)) {
	if !s.Has(Notification) {
		return
	}
	s.later(func() {
		told(s.word(s.fire(s.ctx, Notification, []string{kind}, func(h *Hook) input {
			return s.about(h, map[string]any{"notification_type": kind, "title": s.mask(title), "message": s.mask(message)})
		}), false))
	})
}

// word joins answers. Where nothing can be blocked, a no is a line for the person.
func (s *Set) word(answers []answer, blocks bool) (w Word) {
	var block, halt, contexts []string
	for _, a := range answers {
		w.Notes = append(w.Notes, a.notes()...)
		switch {
		case a.deny && blocks:
			block = append(block, fmt.Sprintf("hook %s: %s", a.hook.Label(), a.reason))
		case a.deny:
			w.Notes = append(w.Notes, fmt.Sprintf("hook %s: %s", a.hook.Label(), a.reason))
		}
		if a.halt != "" && blocks {
			halt = append(halt, a.halt)
		}
		if a.context != "" {
			contexts = append(contexts, a.context)
		}
	}
	w.Block, w.Halt = strings.Join(block, "\n"), strings.Join(halt, "\n")
	w.Context = s.mask(strings.Join(contexts, "\n"))
	return w
}

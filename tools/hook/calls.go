package hook

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"forge/tools"
)

// Concern implements tools.Hooks.
func (s *Set) Concern(call tools.Call) string {
	if !s.Has(PreToolUse) {
		return ""
	}
	var labels []string
	for _, st := range s.matching(PreToolUse, namesOf(call.Name, PreToolUse)) {
		labels = append(labels, st.hook.Label())
	}
	return strings.Join(labels, ", ")
}

// Before implements tools.Hooks. Hooks are told of a call before anybody is asked; what
// the strictest of them says holds.
func (s *Set) Before(ctx context.Context, call tools.Call, e tools.Effect) (r tools.Ruling) {
	answers := s.fire(ctx, PreToolUse, namesOf(call.Name, PreToolUse), func(h *Hook) input { return s.ofCall(h, call, nil) })
	var denied, halted, asked, contexts []string
	var asks, vouches string
	var in map[string]any
	var by *Hook
	for _, a := range answers {
		h := a.hook
		if ctx.Err() == nil { // else the person ended it
			r.Notes = append(r.Notes, a.notes()...)
		}
		switch {
		case a.deny:
			denied = append(denied, fmt.Sprintf("hook %s forbids this: %s", h.Label(), a.reason))
		case a.ask:
			asked = append(asked, a.reason)
			asks = h.Label()
		case a.allow && h.Source.Scope == User && a.input == nil:
			vouches = h.Label()
		}
		if a.halt != "" {
			halted = append(halted, a.halt)
		}
		if a.context != "" {
			contexts = append(contexts, a.context)
		}
		if a.input != nil {
			in, by = a.patched(call, s.o.Dir, in), h
		}
	}
	r.Deny, r.Halt, r.Context = strings.Join(denied, "\n"), strings.Join(halted, "\n"), strings.Join(contexts, "\n")
	r.Said = tools.Said{Ask: asks != "", Vouch: vouches != "", By: vouches}
	if asks != "" {
		r.Said.By, r.Said.Reason = asks, firstLine(strings.Join(asked, "; "), 300)
	}
	if in == nil || r.Deny != "" || r.Halt != "" {
		return r
	}
	text, err := ours(call.Name, call.Input, s.o.Dir, in)
	if err != nil {
		r.Deny = fmt.Sprintf("hook %s changed the arguments to what cannot be written: %v", by.Label(), err)
		return r
	}
	if same, _ := ours(call.Name, call.Input, s.o.Dir, second(theirs(call.Name, call.Input, s.o.Dir, by.Dialect))); same != text {
		r.Input, r.By = text, "hook "+by.Label()
	}
	return r
}

func second(_ string, m map[string]any) map[string]any { return m }

// patched is the arguments an answer gives a call, in the words of its dialect: all of
// them, or a part laid over what there was before it.
func (a answer) patched(call tools.Call, dir string, before map[string]any) map[string]any {
	if a.hook.Dialect == Claude {
		return a.input
	}
	_, in := theirs(call.Name, call.Input, dir, a.hook.Dialect)
	maps.Copy(in, before)
	maps.Copy(in, a.input)
	return in
}

// After implements tools.Hooks.
func (s *Set) After(ctx context.Context, call tools.Call, _ tools.Effect, res tools.Result, took time.Duration) (out tools.Echo) {
	e := PostToolUse
	if res.IsError {
		e = PostFailure
	}
	answers := s.fire(ctx, e, namesOf(call.Name, e), func(h *Hook) input {
		in := s.ofCall(h, call, map[string]any{"tool_response": response(h, call, res, s.o.Dir), "duration_ms": took.Milliseconds()})
		if e == PostFailure {
			in.payload["error"], in.payload["is_interrupt"] = res.Text, false
		}
		return in
	})
	var contexts, halted, instead []string
	for _, a := range answers {
		h := a.hook
		out.Notes = append(out.Notes, a.notes()...)
		switch {
		case a.instead != "":
			instead = append(instead, a.instead)
		case a.deny && h.Dialect == Gemini:
			instead = append(instead, fmt.Sprintf("[the result is hidden by hook %s]\n%s", h.Label(), a.reason))
		case a.deny:
			contexts = append(contexts, fmt.Sprintf("hook %s objects: %s", h.Label(), a.reason))
		}
		if a.deny {
			out.Notes = append(out.Notes, fmt.Sprintf("hook %s objects to what %s did: %s", h.Label(), call.Name, firstLine(a.reason, 200)))
		}
		if a.context != "" {
			contexts = append(contexts, a.context)
		}
		if a.halt != "" {
			halted = append(halted, a.halt)
		}
	}
	out.Context, out.Halt, out.Instead = strings.Join(contexts, "\n"), strings.Join(halted, "\n"), strings.Join(instead, "\n")
	return out
}

// ofCall is the input about a call.
func (s *Set) ofCall(h *Hook, call tools.Call, more map[string]any) input {
	name, args := theirs(call.Name, call.Input, s.o.Dir, h.Dialect)
	in := s.about(h, map[string]any{
		"tool_name": name, "tool_input": args, "tool_use_id": call.ID, "forge_tool_name": call.Name,
	})
	maps.Copy(in.payload, more)
	return in
}

// response is a result as a dialect has it.
func response(h *Hook, call tools.Call, res tools.Result, dir string) map[string]any {
	if h.Dialect == Gemini {
		out := map[string]any{"llmContent": res.Text, "returnDisplay": res.Display}
		if res.IsError {
			out["error"] = res.Text
		}
		return out
	}
	out := map[string]any{"content": res.Text, "is_error": res.IsError, "success": !res.IsError}
	_, args := theirs(call.Name, call.Input, dir, Claude)
	if path, ok := args["file_path"].(string); ok {
		out["filePath"] = path
	}
	if call.Name == "run_bash" {
		out["stdout"], out["stderr"], out["interrupted"] = res.Text, "", false
	}
	return out
}

// notes are the lines an answer has for the person.
func (a answer) notes() (out []string) {
	if a.problem != "" {
		out = append(out, fmt.Sprintf("hook %s (%s) failed: %s", a.hook.Label(), a.hook.Event, a.problem))
	}
	if a.system != "" {
		out = append(out, fmt.Sprintf("hook %s: %s", a.hook.Label(), a.system))
	}
	return out
}

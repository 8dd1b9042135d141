package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"forge/tools/sandbox"
)

// Bounds of what a hook says, in bytes.
const (
	maxOutput  = 1 << 20 // that is read
	maxWritten = 8 << 20 // after which it is ended
	maxContext = 10000   // for the model
	maxReason  = 2000    // why something is denied, and lines for the person
)

// haltCode is the exit code by which a hook of crush's ends the run.
const haltCode = 49

// answer is what one hook said.
type answer struct {
	hook    *Hook
	deny    bool
	ask     bool
	allow   bool
	reason  string // of a denial or a question
	halt    string // why the run ends; empty: it goes on
	context string // for the model
	system  string // for the person
	input   map[string]any
	instead string // in the place of a result
	problem string // why it failed; empty: it did not
}

// reply is what a hook may print, in the words of all dialects.
type reply struct {
	Continue      every[bool]     `json:"continue"`
	StopReason    string          `json:"stopReason"`
	SystemMessage string          `json:"systemMessage"`
	Decision      every[string]   `json:"decision"`
	Reason        string          `json:"reason"`
	Halt          every[bool]     `json:"halt"`
	Context       json.RawMessage `json:"context"`       // a text, or a list of them
	UpdatedInput  arguments       `json:"updated_input"` // crush
	Specific      struct {
		Decision          every[string] `json:"permissionDecision"`
		Reason            string        `json:"permissionDecisionReason"`
		UpdatedInput      arguments     `json:"updatedInput"`
		AdditionalContext string        `json:"additionalContext"`
		ToolInput         arguments     `json:"tool_input"`  // Gemini
		ToolOutput        string        `json:"tool_output"` // Gemini
	} `json:"hookSpecificOutput"`
}

// every is all values a key has: one that is there twice was as likely put there by what
// the hook looks at, by way of a script that writes JSON without quoting, as by the hook.
// The strictest of them counts.
type every[T any] []T

func (e *every[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*e = append(*e, v)
	return nil
}

// arguments are those for a call: an object, or one written into a text.
type arguments map[string]any

func (a *arguments) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil && text != "" {
		b = []byte(text)
	}
	in, err := object(b)
	*a = in
	return err
}

// object reads a JSON object whose numbers stay as they are written.
func object(b []byte) (out map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err = d.Decode(&out); err == nil && d.More() {
		err = errors.New("something stands behind the JSON object")
	}
	return out, err
}

// read takes how a hook ended for what it says. A failure says nothing but that.
func read(h *Hook, res sandbox.Result, startErr error) (a answer) {
	defer func() {
		a.hook = h
		a.reason, a.halt, a.system = tidy(a.reason, maxReason), tidy(a.halt, maxReason), tidy(a.system, maxReason)
		a.context, a.instead, a.problem = tidy(a.context, maxContext), tidy(a.instead, maxContext), tidy(a.problem, maxReason)
		if a.problem != "" && h.Strict && h.Event == PreToolUse {
			a.deny, a.reason = true, "hook "+h.Label()+" failed, and onFailure is block: "+a.problem
		}
	}()
	errs := strings.TrimSpace(res.Errors)
	switch {
	case startErr != nil:
		a.problem = startErr.Error()
	case res.TimedOut:
		a.problem = fmt.Sprintf("it was ended after %s", res.Limit)
	case res.Cancelled:
		a.problem = "it was ended"
	case res.OverLimit:
		a.problem = fmt.Sprintf("it was ended after %d MB of output", maxWritten>>20)
	case res.Signal != "":
		a.problem = "it was ended by a signal: " + res.Signal
	case res.ExitCode == 2:
		a.deny, a.reason = true, cmp.Or(errs, "it gave no reason")
	case res.ExitCode == haltCode && h.Dialect == Crush:
		a.halt = cmp.Or(errs, "hook "+h.Label()+" ended the run")
	case res.ExitCode != 0:
		a.problem = fmt.Sprintf("exit code %d", res.ExitCode)
		if line := firstLine(errs, 300); line != "" {
			a.problem += ": " + line
		}
	case res.Total > maxOutput:
		a.problem = fmt.Sprintf("it wrote %d bytes; more than %d are not read", res.Total, maxOutput)
	default:
		a.printed(h, strings.TrimSpace(res.Output))
	}
	return a
}

// printed reads the output of a hook that succeeded.
func (a *answer) printed(h *Hook, out string) {
	if !strings.HasPrefix(out, "{") {
		switch {
		case h.Event == PromptSubmit || h.Event == SessionStart:
			a.context = out
		case decides(out):
			a.problem = "its output is not understood: a decision is to stand alone, and something stands before it"
		}
		return
	}
	var r reply
	d := json.NewDecoder(bytes.NewReader([]byte(out)))
	err := d.Decode(&r)
	if err == nil && d.More() {
		err = errors.New("something stands behind the JSON object")
	}
	if err == nil {
		err = a.said(h, r)
	}
	if err != nil {
		*a = answer{problem: "its output is not understood: " + err.Error()}
	}
}

func (a *answer) said(h *Hook, r reply) error {
	s := r.Specific
	for _, d := range slices.Concat(r.Decision, s.Decision) {
		switch d {
		case "deny", "block":
			a.deny = true
		case "ask", "defer": // whoever would decide later is not here
			a.ask = true
		case "allow", "approve":
			a.allow = true
		case "":
		default:
			return fmt.Errorf("no decision is %q", firstLine(d, 40))
		}
	}
	a.reason = cmp.Or(s.Reason, r.Reason)
	a.system = r.SystemMessage
	if slices.Contains(r.Continue, false) || slices.Contains(r.Halt, true) {
		a.halt = cmp.Or(r.StopReason, r.Reason, "hook "+h.Label()+" ended the run")
	}
	context, err := contexts(r.Context)
	if err != nil {
		return err
	}
	a.context = strings.TrimSpace(context + "\n" + s.AdditionalContext)
	a.instead = s.ToolOutput
	for _, in := range []arguments{r.UpdatedInput, s.UpdatedInput, s.ToolInput} {
		if in != nil {
			a.input = in
		}
	}
	if a.deny && a.reason == "" {
		a.reason = "it gave no reason"
	}
	return nil
}

// decides says whether a text that is no JSON object has a decision in it all the same,
// behind other words or in a list: whoever wrote that means to be heard.
func decides(out string) bool {
	rest, tries := out, 0
	for tries < 100 {
		line := strings.TrimLeft(rest, " \t\r\n[")
		var r reply
		if strings.HasPrefix(line, "{") {
			tries++
			if json.NewDecoder(strings.NewReader(line)).Decode(&r) == nil &&
				len(r.Decision)+len(r.Specific.Decision)+len(r.Continue)+len(r.Halt) > 0 {
				return true
			}
		}
		_, after, more := strings.Cut(line, "\n")
		if !more {
			return false
		}
		rest = after
	}
	return false
}

// contexts reads crush's context: a text, or several.
func contexts(raw json.RawMessage) (string, error) {
	var list []string
	var one string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case json.Unmarshal(raw, &one) == nil:
		return one, nil
	case json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, "\n"), nil
	}
	return "", errors.New("context is a text or a list of texts")
}

// tidy makes what a hook says fit to be passed on: text without what nobody sees, and not
// more than so many bytes.
func tidy(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("\n… (%d bytes left out)", len(s)-most)
}

// firstLine is the begin of a text, in at most so many bytes.
func firstLine(s string, most int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

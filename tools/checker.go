package tools

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strings"
)

// Checker looks at files after a call has changed them: it knows what is wrong with
// them now. Check is told of what was really written, by calls of several agents at one
// time, and takes only as long as a person would wait; looks is told who is at it, where
// that takes a while. text is for the model, found says the same for eyes.
type Checker interface {
	Check(ctx context.Context, changes []Change, looks func(who string)) (text string, found []Found)
}

// Found is what somebody says of changed files, for eyes. Either it counts, or Note says
// in English why it does not.
type Found struct {
	By        string   `json:"by"`                  // who says it: "gopls"
	New       int      `json:"new,omitempty"`       // errors that were not there before
	Old       int      `json:"old,omitempty"`       // errors that were
	Gone      int      `json:"gone,omitempty"`      // errors that are not there any more
	Elsewhere int      `json:"elsewhere,omitempty"` // new errors in files that were not changed
	Unsure    bool     `json:"unsure,omitempty"`    // what was there before is not known: all count as new
	Lines     []string `json:"lines,omitempty"`     // new ones, "main.go:12:7: undefined: x"; not all where there are many
	Note      string   `json:"note,omitempty"`
}

// check adds what the checker says of the files a call has changed to its result.
func (x *Executor) check(ctx context.Context, call Call, o *Outcome, w Watch) {
	if x.Checker == nil || len(o.Changes) == 0 || ctx.Err() != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil { // the files are written all the same
			slog.Error("checker crashed", "tool", call.Name, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	looks := w.Looks
	if looks == nil {
		looks = func(string) {}
	}
	text, found := x.Checker.Check(ctx, o.Changes, looks)
	if x.Veil != nil {
		var hidden []Hidden
		text, hidden = x.Veil.Mask(text)
		o.Result.Hidden = append(o.Result.Hidden, hidden...)
		for n, f := range found {
			for i, l := range f.Lines {
				f.Lines[i], _ = x.Veil.Mask(l)
			}
			found[n].Note, _ = x.Veil.Mask(f.Note)
		}
	}
	if text != "" {
		o.Result.Text = strings.TrimRight(o.Result.Text, "\n") + "\n" + quoteMark(text)
	}
	o.Result.Found = found
}

// Package print is the plain face of forge: one run as text or as JSON lines.
//
// It owns what a headless run writes to standard output and standard error and
// the exit code that sums it up. It takes a run's events as an agent.Sink from
// the run's own goroutine and asks nobody anything.
package print

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/ui/found"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Format is how a run is written.
type Format string

// The formats.
const (
	Text       Format = "text"        // the answer, nothing else
	JSON       Format = "json"        // one object at the end
	StreamJSON Format = "stream-json" // one object an event, the last one as JSON's
)

// ParseFormat reads the value of --output-format.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case Text, JSON, StreamJSON:
		return f, nil
	}
	return "", fmt.Errorf(lang.T("output format %q is unknown: use text, json or stream-json"), s)
}

// The exit codes of forge, headless or not.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitPermission  = 3   // the run ended, but a call was refused because nobody could be asked
	ExitLimit       = 4   // a turn limit ended the run
	ExitInterrupted = 130 // SIGINT
)

// ErrNotAllowed is the error of a run that did not begin, because what its prompt needed
// was refused.
var ErrNotAllowed = errors.New("not allowed")

// Options is where and how to write.
type Options struct {
	Out, Err    io.Writer
	Format      Format
	OutTerminal bool // Out is a terminal: what a model says is made safe to show
	Progress    bool // one line a tool call to Err
	Model       provider.Model
	Session     string                   // id, for the result; empty: not kept
	Unattended  string                   // the reason a call is refused for where nobody can be asked
	Way         func(call string) string // what would have let such a call run, by its id; nil, or empty: not known
	Before      agent.Totals             // what a resumed conversation had used up before this run
	Now         func() time.Time
}

// Printer writes one run.
type Printer struct {
	o       Options
	start   time.Time
	text    strings.Builder // of the current model call
	answer  string          // of the last finished one that said something
	stop    provider.StopReason
	detail  string
	refused []Refusal
	calls   map[string]started
	turns   int
	end     agent.RunEnd
	err     error // of writing
}

// started is a call that runs: its title as it is, and in the person's language.
type started struct{ title, shown, input string }

// Refusal is a call that was not allowed to run.
type Refusal struct {
	Tool   string `json:"tool"`
	Title  string `json:"title,omitempty"`
	Input  string `json:"input"`
	Reason string `json:"reason"`

	shown      string // Title, in the person's language
	unattended bool   // nobody was there to be asked
	ways       string // what would have let it run
}

// New returns a Printer; the clock of the run starts now.
func New(o Options) *Printer {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Printer{o: o, start: o.Now(), calls: map[string]started{}}
}

// Emit takes the next event of the run.
func (p *Printer) Emit(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStart:
		p.text.Reset()
		p.turns++
	case agent.TextDelta:
		p.text.WriteString(e.Text)
	case agent.Retrying:
		p.text.Reset()
		p.progress(lang.T("retry %d of %d in %s: %v"), e.Attempt, e.Attempts, e.After.Round(100*time.Millisecond), lang.Said(e.Err.Error()))
	case agent.TurnEnd:
		p.stop, p.detail = e.Stop, e.Detail
		if p.text.Len() > 0 {
			p.answer = p.text.String()
		}
	case agent.ToolStart, agent.ToolEnd:
		p.call("", "", e)
	case agent.Nested:
		p.nested("", "", e)
	case agent.BudgetWarned:
		fmt.Fprintf(p.o.Err, "forge: %s\n", warned(e))
	case agent.Notice:
		p.notice(lang.Said(e.Text))
	case agent.Attached:
		if e.Err != nil { // the answer will be without it
			fmt.Fprintf(p.o.Err, "forge: %s: %s\n", safe.Output(e.Label), safe.Output(lang.Said(e.Err.Error())))
			break
		}
		p.progress(lang.T("attached %s"), e.Label)
	case agent.RunEnd:
		p.end = e
	}
	if p.o.Format == StreamJSON {
		if line := eventLine(e); line != nil {
			p.writeJSON(line)
		}
	}
}

// notice tells what forge has to say about the run itself, such as that its disk is
// full: nobody who does not follow the calls may miss that either. In stream-json it
// is an event.
func (p *Printer) notice(text string) {
	switch {
	case p.o.Progress:
		p.progress("%s", text)
	case p.o.Format != StreamJSON:
		fmt.Fprintf(p.o.Err, "forge: %s\n", safe.Output(oneLine(text)))
	}
}

// nested takes what a sub-agent does: its calls are told of, and those that were
// refused are refusals of the run. above is the calls it runs as, who its name.
func (p *Printer) nested(above, who string, e agent.Nested) {
	name, _, _ := strings.Cut(p.calls[above+e.ID].title, ":")
	if who != "" {
		name = who + " > " + name
	}
	if inner, ok := e.Event.(agent.Nested); ok {
		p.nested(above+e.ID+"\x00", name, inner)
		return
	}
	p.call(above+e.ID+"\x00", name, e.Event)
}

// call takes the start or the end of a call. Servers number calls anew in every
// conversation: those of a sub-agent are told apart by what stands above them.
func (p *Printer) call(above, who string, e agent.Event) {
	switch e := e.(type) {
	case agent.ToolStart:
		title, shown := e.Effect.Title, lang.Title(e.Effect.Title)
		if who != "" {
			title, shown = who+": "+title, who+": "+shown
		}
		p.calls[above+e.ID] = started{title, shown, e.Input}
		p.progress("%s", shown)
	case agent.ToolEnd:
		p.toolEnd(p.calls[above+e.ID], e, who != "")
		delete(p.calls, above+e.ID)
	}
}

// narrowed reports whether a sub-agent was refused something by its own definition:
// no permission would have changed that.
func (p *Printer) narrowed(e agent.ToolEnd) bool {
	asked := p.o.Unattended != "" && strings.Contains(e.Result.Text, p.o.Unattended)
	return !asked && (p.o.Way == nil || p.o.Way(e.ID) == "")
}

func (p *Printer) toolEnd(s started, e agent.ToolEnd, nested bool) {
	if e.Result.Refused && !(nested && p.narrowed(e)) {
		p.refused = append(p.refused, Refusal{Tool: e.Name, Title: s.title, shown: s.shown, Input: s.input, Reason: e.Result.Text,
			unattended: p.o.Unattended != "" && strings.Contains(e.Result.Text, p.o.Unattended), ways: p.way(e.ID)})
		p.progress(lang.T("not run: %s"), s.shown)
	}
	if e.Result.Review != "" { // not all of it is what was proposed
		p.progress("%s: %s", s.shown, e.Result.Review)
	}
	for _, f := range e.Result.Found {
		p.progress("%s: %s", s.shown, found.Line(f))
	}
}

func (p *Printer) progress(format string, args ...any) {
	if !p.o.Progress {
		return
	}
	if line := oneLine(fmt.Sprintf(format, args...)); line != "" {
		fmt.Fprintf(p.o.Err, "· %s\n", safe.Output(line))
	}
}

// oneLine is the first line of a text, and a sign that there is more.
func oneLine(text string) string {
	line := strings.TrimSpace(text)
	if first, _, more := strings.Cut(line, "\n"); more {
		line = first + " …"
	}
	return line
}

// Answer takes an answer that no model gave: what was asked was forge's to answer.
func (p *Printer) Answer(text string) { p.answer = text }

// Finish writes what is left to write and returns the exit code. err is what
// Run returned.
func (p *Printer) Finish(err error) int {
	code := p.exitCode(err)
	if p.o.Format != Text {
		p.writeJSON(p.result(err, code))
	} else {
		p.writeAnswer()
	}
	if err != nil {
		fmt.Fprintf(p.o.Err, "forge: %s\n", safe.Output(errorLine(err)))
	}
	if p.o.Format == Text {
		p.explain()
	}
	if p.err != nil && code == ExitDone {
		fmt.Fprintf(p.o.Err, lang.T("forge: write the answer: %v\n"), p.err)
		return ExitFailed
	}
	return code
}

func (p *Printer) writeAnswer() {
	_, answer, _ := provider.SplitThink(p.answer)
	answer = strings.TrimSpace(answer)
	if answer == "" {
		return
	}
	if p.o.OutTerminal {
		answer = safe.Output(answer)
	}
	_, p.err = fmt.Fprintln(p.o.Out, answer)
}

// explain says in a line what the exit code alone does not.
func (p *Printer) explain() {
	for _, r := range p.refused {
		what := r.shown
		if what == "" {
			what = r.Tool
		}
		fmt.Fprintf(p.o.Err, lang.T("forge: not allowed: %s (%s)\n"), safe.Output(what), safe.Output(r.way()))
	}
	switch p.stop {
	case provider.StopRefusal:
		fmt.Fprintf(p.o.Err, lang.T("forge: the model declined to answer%s; say it differently, or use another model\n"), after(": ", safe.Output(p.detail)))
	case provider.StopMaxTokens:
		fmt.Fprintln(p.o.Err, lang.T("forge: the answer was cut at the output limit: raise --max-tokens"))
	}
}

// way is what would have let a call run.
func (p *Printer) way(call string) string {
	if p.o.Way != nil {
		if way := p.o.Way(call); way != "" {
			return way
		}
	}
	return lang.T("a rule in the settings, or --yolo")
}

// way is what a person can do about a refusal: where nobody could be asked, allow
// it beforehand; where a rule or a mode said no, know which.
func (r Refusal) way() string {
	if r.unattended {
		return lang.T("allow it with %s", lang.Said(r.ways))
	}
	return lang.Said(strings.TrimPrefix(r.Reason, "not run: "))
}

func after(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

func (p *Printer) exitCode(err error) int {
	switch {
	case p.end.Limit || agent.Limited(err):
		return ExitLimit
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.Is(err, ErrNotAllowed):
		return ExitPermission
	case err != nil:
		return ExitFailed
	case len(p.refused) > 0:
		return ExitPermission
	}
	return ExitDone
}

// interrupted is what a person calls the end of a context.
func interrupted() string { return lang.T("interrupted; forge -c goes on") }

// errorLine gives an error and, behind a dash, what can be done about it.
func errorLine(err error) string {
	var pe *provider.Error
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted()
	case errors.As(err, &pe) && pe.Hint != "":
		return lang.Said(err.Error()) + lang.T(" - ") + lang.Said(pe.Hint)
	}
	return lang.Said(err.Error())
}

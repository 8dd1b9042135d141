package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/agent/budget"
	"forge/provider"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/print"
	"forge/ui/theme"
)

// Flags is the command line as it was given. Zero values were not given.
type Flags struct {
	Prompt   string // of a headless run, or the first one of a full screen
	Headless bool   // -p or `forge run`

	Provider, Model, BaseURL, Wire, KeyEnv string
	Effort                                 provider.Effort
	MaxTokens                              int

	Continue bool
	Resume   bool
	ResumeID string
	NoKeep   bool // --no-session

	Images []string // files of pictures that go with the prompt

	MCP       []string // servers to mount, as --mcp was given
	MCPConfig []string // files of more of them

	// Tools are all the model may have, DenyTools what it may not: names or patterns.
	Tools, DenyTools []string

	Mode    permission.Mode
	Sandbox string // auto, require or off
	Network string // of confined commands: closed or open
	// TrustWorkspace is the consent to what the workspace configures, for this run.
	TrustWorkspace bool
	NoHooks        bool // no command of the person's runs by itself
	Format         print.Format
	Dir            string
	AddDirs        []string

	Demo     bool
	DemoFile string

	MaxTurns     int           // 0: not given
	Session, Day budget.Amount // what may be spent; 0: not given
	Budget, Keep int
	System       string
	AppendSystem string
	Raw          string
	Debug        bool // log what is done, for forge logs
	Verbose      bool // of a headless run: the same on stderr
	Theme        string
	NoMouse      bool
	Inline       bool   // without the alternate screen
	ScreenReader bool   // plain lines in the place of a screen
	Lang         string // a tag of lang.Tags; the wiring has read it before
}

// Usage is an error in how forge was called: exit code 2.
type Usage struct{ Err error }

// Error implements error.
func (u Usage) Error() string { return u.Err.Error() }

// Unwrap returns the cause.
func (u Usage) Unwrap() error { return u.Err }

// raw is the flags before they are checked.
type raw struct {
	Flags
	prompt, effort, mode, format string
	think, yolo, json            bool
	resume, demo                 string
}

func (r *raw) define(c *cobra.Command) {
	f := c.PersistentFlags()
	f.StringVarP(&r.Model, "model", "m", "", lang.T("model, as [provider/]id[:effort]"))
	f.StringVar(&r.Provider, "provider", "", lang.T("provider, see forge models"))
	f.StringVar(&r.BaseURL, "base-url", "", lang.T("address of a model server"))
	f.StringVar(&r.Wire, "wire", "", lang.T("wire of --base-url: openai or anthropic"))
	f.StringVar(&r.KeyEnv, "api-key-env", "", lang.T("environment variable that holds the key"))
	f.BoolVar(&r.think, "think", false, lang.T("let the model think (--think=false: say that it shall not)"))
	f.StringVar(&r.effort, "effort", "", lang.T("how much it thinks: none, minimal, low, medium, high, xhigh, max"))
	f.IntVar(&r.MaxTokens, "max-tokens", 0, lang.T("output tokens of one answer, thinking included"))
	f.BoolVarP(&r.Continue, "continue", "c", false, lang.T("go on with this folder's last conversation"))
	f.VarP(&optional{&r.resume}, "resume", "r", lang.T("go on with a conversation: `[=ID]`, or words of its title; without either choose one"))
	f.Lookup("resume").NoOptDefVal = bare
	f.BoolVar(&r.NoKeep, "no-session", false, lang.T("keep no record of the conversation"))
	f.StringVar(&r.mode, "mode", "", lang.T("what runs without a question: ask, edits, plan, auto"))
	f.BoolVar(&r.yolo, "yolo", false, lang.T("ask nothing (also --yes)"))
	f.StringVar(&r.Sandbox, "sandbox", "", lang.T("what confines commands: auto (what there is), require (or run none), off"))
	f.StringVar(&r.Network, "sandbox-network", "", lang.T("the network of confined commands: closed (asked for when it is needed) or open"))
	f.BoolVar(&r.TrustWorkspace, "trust-workspace", false, lang.T("let what this folder configures start (.mcp.json, agents, skills, hooks), for this run"))
	f.BoolVar(&r.NoHooks, "no-hooks", false, lang.T("run none of your hooks"))
	f.StringVar(&r.format, "output-format", "", lang.T("of a headless run: text, json, stream-json"))
	f.BoolVar(&r.json, "json", false, lang.T("as --output-format json"))
	f.StringVarP(&r.Dir, "cd", "C", "", lang.T("work in this folder"))
	f.StringSliceVar(&r.AddDirs, "add-dir", nil, lang.T("another folder the tools may use (repeatable)"))
	f.StringArrayVar(&r.Images, "image", nil, lang.T("a picture to send with the prompt: PNG, JPEG, GIF or WebP (repeatable)"))
	f.StringArrayVar(&r.MCP, "mcp", nil, lang.T("mount an MCP server: NAME=COMMAND, NAME=URL, or demo (repeatable)"))
	f.StringArrayVar(&r.MCPConfig, "mcp-config", nil, lang.T("mount the MCP servers of a file in the shape of .mcp.json (repeatable)"))
	f.StringSliceVar(&r.Tools, "tools", nil, lang.T("only these tools, by names or patterns, as read_file,mcp__docs__* (repeatable)"))
	f.StringSliceVar(&r.DenyTools, "deny-tools", nil, lang.T("without these tools (repeatable)"))
	f.Var(&optional{&r.demo}, "demo", lang.T("play the scripted model; `[=FILE]` plays a script of yours"))
	f.Lookup("demo").NoOptDefVal = bare
	f.IntVar(&r.MaxTurns, "max-turns", 0, lang.T("model calls in one run"))
	f.Float64Var(&r.Session.USD, "max-budget-usd", 0, lang.T("US dollars a conversation may cost"))
	f.IntVar(&r.Session.Tokens, "max-budget-tokens", 0, lang.T("tokens a conversation may take, input and output"))
	f.IntVar(&r.Session.Turns, "max-budget-turns", 0, lang.T("model calls a conversation may make"))
	f.DurationVar(&r.Session.Time, "max-budget-time", 0, lang.T("work a conversation may take, as 30m or 2h"))
	f.Float64Var(&r.Day.USD, "max-day-usd", 0, lang.T("the same for a day, over all conversations"))
	f.IntVar(&r.Day.Tokens, "max-day-tokens", 0, lang.T("the same for a day, over all conversations"))
	f.IntVar(&r.Day.Turns, "max-day-turns", 0, lang.T("the same for a day, over all conversations"))
	f.DurationVar(&r.Day.Time, "max-day-time", 0, lang.T("the same for a day, over all conversations"))
	f.IntVar(&r.Budget, "budget", 0, lang.T("tokens at which the history is shortened"))
	f.IntVar(&r.Keep, "keep", 0, lang.T("tokens of the newest history a shortening leaves alone"))
	f.StringVar(&r.System, "system-prompt", "", lang.T("replace the system prompt"))
	f.StringVar(&r.AppendSystem, "append-system-prompt", "", lang.T("add to the system prompt"))
	f.StringVar(&r.Raw, "raw", "", lang.T("record both directions of the wire in a file, without keys"))
	f.BoolVarP(&r.Debug, "debug", "d", false, lang.T("log what is done, without keys: requests, calls, decisions; see forge logs (also FORGE_DEBUG=1)"))
	f.BoolVar(&r.Verbose, "verbose", false, lang.T("with -p: tell of requests, calls and decisions on stderr"))
	f.StringVar(&r.Theme, "theme", "", lang.T("colours: %s, or a theme file of yours", strings.Join(theme.Names(), ", ")))
	f.StringVar(&r.Lang, "lang", "", lang.T("the language of forge's own words: %s", strings.Join(lang.Tags(), ", ")))
	f.BoolVar(&r.Inline, "inline", false, lang.T("without the alternate screen: what is finished stays in the terminal"))
	f.BoolVar(&r.ScreenReader, "screen-reader", false, lang.T("speak in plain lines, for a screen reader (also FORGE_SCREEN_READER=1)"))
	f.BoolVar(&r.NoMouse, "no-mouse", false, lang.T("leave the mouse to the terminal"))
}

// bare is the value of a flag with an optional one that was given without.
const bare = "true"

// optional is the value of such a flag. It calls itself a bool, so that its help
// shows no default that nobody would type.
type optional struct{ s *string }

func (o *optional) String() string     { return "" }
func (o *optional) Set(s string) error { *o.s = s; return nil }
func (o *optional) Type() string       { return "bool" }

// check turns what was given into Flags, or says what is wrong with it.
func (r *raw) check(c *cobra.Command, args []string) (Flags, error) {
	f := r.asked(c, args)
	changed := c.Flags().Changed
	var err error
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	f.Effort, err = effort(r.effort)
	if r.effort == "" && changed("think") {
		f.Effort = provider.EffortMedium
		if !r.think {
			f.Effort = provider.EffortNone
		}
	}
	if r.mode != "" {
		m, e := permission.ParseMode(r.mode)
		keep(e)
		f.Mode = m
	}
	if r.yolo {
		if r.mode != "" && f.Mode != permission.ModeYolo {
			keep(errors.New(lang.T("--yolo and --mode contradict each other: give one of them")))
		}
		f.Mode = permission.ModeYolo
	}
	if f.Sandbox != "" && f.Sandbox != "auto" && f.Sandbox != "require" && f.Sandbox != "off" {
		keep(fmt.Errorf(lang.T("sandbox %q is unknown: use auto, require or off"), f.Sandbox))
	}
	if f.Network != "" && f.Network != "closed" && f.Network != "open" {
		keep(fmt.Errorf(lang.T("sandbox network %q is unknown: use closed or open"), f.Network))
	}
	f.Format = print.Text
	if r.json {
		f.Format = print.JSON
	}
	if r.format != "" {
		m, e := print.ParseFormat(r.format)
		keep(e)
		f.Format = m
	}
	if f.Wire != "" && f.Wire != "openai" && f.Wire != "anthropic" {
		keep(fmt.Errorf(lang.T("wire %q is unknown: use openai or anthropic"), f.Wire))
	}
	for name, list := range map[string][]string{"tools": f.Tools, "deny-tools": f.DenyTools} {
		if changed(name) && len(list) == 0 {
			keep(fmt.Errorf(lang.T("--%s names no tool; --deny-tools '*' leaves out all of them"), name))
		}
	}
	if f.Verbose && !f.Headless && !c.HasParent() {
		keep(errors.New(lang.T("--verbose goes with -p; on the screen, --debug writes the same to a log, which forge logs shows")))
	}
	if f.Continue && f.Resume {
		keep(errors.New(lang.T("--continue and --resume contradict each other: give one of them")))
	}
	if f.Headless && f.Resume && f.ResumeID == "" {
		keep(errors.New(lang.T("--resume needs an id here, because nobody can choose: see forge -r")))
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"max-turns", f.MaxTurns}, {"max-tokens", f.MaxTokens}, {"budget", f.Budget}, {"keep", f.Keep}} {
		if changed(n.name) && n.value <= 0 {
			keep(fmt.Errorf(lang.T("--%s must be at least 1"), n.name))
		}
	}
	for name, a := range map[string]budget.Amount{"max-budget-": f.Session, "max-day-": f.Day} {
		for _, k := range budget.Kinds() {
			if flag := name + string(k); changed(flag) && k.Of(a) <= 0 {
				keep(fmt.Errorf(lang.T("--%s must be above 0"), flag))
			}
		}
	}
	if err != nil {
		return Flags{}, Usage{err}
	}
	return f, nil
}

// asked is what is asked, and in which conversation: what else was given is as it is.
func (r *raw) asked(c *cobra.Command, args []string) Flags {
	f := r.Flags
	changed := c.Flags().Changed
	f.Resume = changed("resume")
	if r.resume != bare {
		f.ResumeID = r.resume
	} else if len(args) > 0 && (looksLikeID(args[0]) || looksLikeEnd(args[0], len(args) == 1)) {
		// "-r ID" with a blank: an optional value cannot be told from a prompt by
		// the flag parser, but an id can.
		f.ResumeID, args = args[0], args[1:]
	} else if f.Resume && len(args) > 0 && !changed("prompt") && c.Name() != "run" {
		f.ResumeID, args = strings.Join(args, " "), nil // words it is known by
	}
	f.Demo = changed("demo")
	if f.Demo && r.demo != bare {
		f.DemoFile = r.demo
	}
	if f.Prompt = r.prompt; f.Prompt == "" {
		f.Prompt = strings.Join(args, " ")
	} else if len(args) > 0 {
		f.Prompt += " " + strings.Join(args, " ")
	}
	f.Headless = changed("prompt") || c.Name() == "run"
	if f.Resume && f.ResumeID == "" && changed("prompt") && r.prompt != "" && len(args) > 0 { // the prompt stands behind -p
		f.ResumeID, f.Prompt = strings.Join(args, " "), r.prompt
	}
	return f
}

func effort(s string) (provider.Effort, error) {
	if s == "" {
		return "", nil
	}
	for _, e := range provider.Efforts() {
		if string(e) == s {
			return e, nil
		}
	}
	return "", fmt.Errorf(lang.T("effort %q is unknown: use none, minimal, low, medium, high, xhigh or max"), s)
}

// looksLikeEnd tells the end of a session's name, which is what forge prints as it
// leaves, from a prompt: six letters and digits of base32. Six letters alone are a word
// as well, and a name only where no other word stands behind them.
func looksLikeEnd(s string, alone bool) bool {
	const size = 6
	digit := false
	for _, r := range s {
		switch {
		case r >= '2' && r <= '7':
			digit = true
		case r < 'a' || r > 'z':
			return false
		}
	}
	return len(s) == size && (digit || alone)
}

// NamesSession reports whether what -r was given is the name of a session, and not words
// it may be known by.
func NamesSession(s string) bool { return looksLikeID(s) }

// looksLikeID tells a session from a prompt: one word that begins with a date, or
// the name of a session file.
func looksLikeID(s string) bool {
	if strings.HasSuffix(s, ".jsonl") {
		return true
	}
	if len(s) < 8 || strings.ContainsAny(s, " \n") {
		return false
	}
	for _, r := range s[:8] {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}

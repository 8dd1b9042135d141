package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"forge/lazy"
)

// Key is one setting. Names have a dot where they stand in an object.
type Key struct {
	Name    string
	Project bool // a project's file may set it

	set      func(*Config, json.RawMessage) error
	restrict func(*Config, json.RawMessage) error // how a project's value narrows the person's
}

var (
	wires       = []string{"openai", "anthropic"}
	efforts     = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	modes       = []string{"plan", "ask", "edits", "auto", "yolo"} // the strictest first
	boxes       = []string{"require", "auto", "off"}               // the strictest first
	nets        = []string{"closed", "open"}                       // the strictest first, and what is when nothing is set
	guards      = []string{"on", "off"}                            // the strictest first, and what is when nothing is set
	prompts     = []string{"mask", "send"}                         // the same
	bridging    = []string{"ask", "auto", "off"}
	contexts    = []string{"named", "auto"}
	glyphSets   = []string{"auto", "unicode", "narrow", "ascii"}
	partings    = []string{"last", "none", "all"}
	scrollbars  = []string{"scrolled", "always", "never"}
	reasonings  = []string{"hidden", "line", "full"}
	titleParts  = []string{"path", "folder", "branch", "title", "model", "mode"}
	statusParts = []string{"|", "vim", "mode", "sandbox", "servers", "editor", "activity", "goal", "loops", "jobs", "queue", "keys", "tokens", "cache", "context", "gauge",
		"cost", "time", "model", "branch", "folder", "title", "session", "version"}
	linkWays    = []string{"auto", "on", "off"}
	pictureWays = []string{"auto", "kitty", "iterm", "sixel", "off"}
	ways        = []string{"auto", "bell", "osc9", "osc777", "osc99", "off"}
)

// defaultTurns is after how many turns a run asks where nobody set max_turns.
const defaultTurns = 100

// Keys lists every setting, in the order docs/configuration.md has them.
func Keys() []Key {
	ks := []Key{
		{Name: "provider", set: text(func(c *Config) *string { return &c.Provider }, nil)},
		{Name: "model", set: text(func(c *Config) *string { return &c.Model }, nil)},
		{Name: "base_url", set: text(func(c *Config) *string { return &c.BaseURL }, nil)},
		{Name: "wire", set: text(func(c *Config) *string { return &c.Wire }, wires)},
		{Name: "api_key_env", set: text(func(c *Config) *string { return &c.APIKeyEnv }, nil)},
		{Name: "api_key", set: apiKey},
		{Name: "headers", set: func(c *Config, raw json.RawMessage) error { return decode(raw, &c.Headers) }},
		{Name: "context_window", set: count(func(c *Config) *int { return &c.ContextWindow })},
		{Name: "max_tokens", set: count(func(c *Config) *int { return &c.MaxTokens })},
		{Name: "effort", set: text(func(c *Config) *string { return &c.Effort }, efforts)},
		{Name: "prices.input", set: price(func(p *Prices) *float64 { return &p.Input })},
		{Name: "prices.output", set: price(func(p *Prices) *float64 { return &p.Output })},
		{Name: "prices.cache_read", set: price(func(p *Prices) *float64 { return &p.CacheRead })},
		{Name: "prices.cache_write", set: price(func(p *Prices) *float64 { return &p.CacheWrite })},
		{Name: "permissions.allow", set: listed}, // one by one: file.rules
		{Name: "permissions.ask", set: listed, restrict: listed},
		{Name: "permissions.deny", set: listed, restrict: listed},
		{Name: "permissions.mode", set: text(func(c *Config) *string { return &c.Permissions.Mode }, modes), restrict: stricterMode},
		{Name: "sandbox", set: sandbox, restrict: stricterSandbox},
		{Name: "sandbox_network", set: text(func(c *Config) *string { return &c.SandboxNetwork }, nets),
			restrict: stricterWord(nets, func(c *Config) *string { return &c.SandboxNetwork })},
		{Name: "secrets.guard", set: guard, restrict: stricterWord(guards, func(c *Config) *string { return &c.Secrets.Guard })},
		{Name: "secrets.prompts", set: text(func(c *Config) *string { return &c.Secrets.Prompts }, prompts),
			restrict: stricterWord(prompts, func(c *Config) *string { return &c.Secrets.Prompts })},
		{Name: "secrets.allow", set: expressions(func(c *Config) *[]string { return &c.Secrets.Allow })},
		{Name: "secrets.extra", set: expressions(func(c *Config) *[]string { return &c.Secrets.Extra }),
			restrict: expressions(func(c *Config) *[]string { return &c.Secrets.Extra })},
		{Name: "update.url", set: text(func(c *Config) *string { return &c.Update.URL }, nil)},
		{Name: "update.check", set: yes(func(c *Config, on bool) { c.Update.Off = !on })},
		{Name: "undo.journal", set: text(func(c *Config) *string { return &c.Undo.Journal }, []string{"on", "off"})},
		{Name: "undo.file_mb", set: count(func(c *Config) *int { return &c.Undo.FileMB })},
		{Name: "undo.total_mb", set: count(func(c *Config) *int { return &c.Undo.TotalMB })},
		{Name: "max_turns", set: count(func(c *Config) *int { return &c.MaxTurns }), restrict: fewerTurns},
		{Name: "budget", set: count(func(c *Config) *int { return &c.Budget })},
		{Name: "keep", set: count(func(c *Config) *int { return &c.Keep })},
		{Name: "compact.auto", set: yes(func(c *Config, on bool) { c.Compact.Off = !on })},
		{Name: "compact.at", set: within(10, 95, func(c *Config) *int { return &c.Compact.At })},
		{Name: "compact.rest", set: count(func(c *Config) *int { return &c.Compact.Rest })},
		{Name: "mcpServers", set: func(_ *Config, raw json.RawMessage) error { // whoever mounts them reads them
			var servers map[string]json.RawMessage
			return decode(raw, &servers)
		}},
		{Name: "hooks", set: events, restrict: events}, // a project's run once they are trusted; whoever runs them reads them
		{Name: "lsp", set: languageServers},
		{Name: "mcp.defer_above", set: percent(func(c *Config) **float64 { return &c.DeferAbove })},
		{Name: "sessions.keep", set: count(func(c *Config) *int { return &c.KeepSessions })},
		{Name: "agents.parallel", set: within(1, 32, func(c *Config) *int { return &c.Agents.Parallel })},
		{Name: "agents.depth", set: within(1, 3, func(c *Config) *int { return &c.Agents.Depth })},
		{Name: "favorite_models", set: favorites},
		{Name: "skills.off", set: func(c *Config, raw json.RawMessage) error { return decode(raw, &c.SkillsOff) }},
		{Name: "theme", set: text(func(c *Config) *string { return &c.Theme }, nil),
			restrict: text(func(c *Config) *string { return &c.Theme }, nil)},
		{Name: "screen.glyphs", set: text(func(c *Config) *string { return &c.Screen.Glyphs }, glyphSets)},
		{Name: "screen.inline", set: yes(func(c *Config, on bool) { c.Screen.Inline = on })},
		{Name: "screen.reader", set: yes(func(c *Config, on bool) { c.Screen.Reader = on })},
		{Name: "screen.mouse", set: yes(func(c *Config, on bool) { c.Screen.NoMouse = !on })},
		{Name: "screen.wheel", set: within(1, 20, func(c *Config) *int { return &c.Screen.Wheel })},
		{Name: "screen.scrollbar", set: text(func(c *Config) *string { return &c.Screen.Scrollbar }, scrollbars)},
		{Name: "screen.reasoning", set: text(func(c *Config) *string { return &c.Screen.Reasoning }, reasonings)},
		{Name: "screen.panel", set: yes(func(c *Config, on bool) { c.Screen.Panel = on })},
		{Name: "screen.motion", set: yes(func(c *Config, on bool) { c.Screen.Still = !on })},
		{Name: "screen.focus", set: yes(func(c *Config, on bool) { c.Screen.Focus = on })},
		{Name: "screen.tips", set: yes(func(c *Config, on bool) { c.Screen.Tips = &on })},
		{Name: "screen.times", set: yes(func(c *Config, on bool) { c.Screen.Times = on })},
		{Name: "screen.away_line", set: yes(func(c *Config, on bool) { c.Screen.NoAwayLine = !on })},
		{Name: "screen.suggest", set: yes(func(c *Config, on bool) { c.Screen.Suggest = on })},
		{Name: "screen.recap_after", set: awhile(func(c *Config) *time.Duration { return &c.Screen.RecapAfter })},
		{Name: "screen.exit", set: text(func(c *Config) *string { return &c.Screen.Exit }, partings)},
		{Name: "screen.notify", set: text(func(c *Config) *string { return &c.Screen.Notify }, ways)},
		{Name: "screen.images", set: text(func(c *Config) *string { return &c.Screen.Images }, pictureWays)},
		{Name: "screen.links", set: text(func(c *Config) *string { return &c.Screen.Links }, linkWays)},
		{Name: "screen.title", set: yes(func(c *Config, on bool) { c.Screen.NoTitle = !on })},
		{Name: "screen.title_shows", set: words(titleParts, func(c *Config) *[]string { return &c.Screen.TitleShows })},
		{Name: "screen.status", set: words(statusParts, func(c *Config) *[]string { return &c.Screen.Status })},
		{Name: "screen.status_command", set: text(func(c *Config) *string { return &c.Screen.Command }, nil)},
		{Name: "screen.progress", set: yes(func(c *Config, on bool) { c.Screen.NoProgress = !on })},
		{Name: "editor.vim", set: yes(func(c *Config, on bool) { c.Vim = on })},
		{Name: "editor.vim_escape", set: two(func(c *Config) *string { return &c.VimEscape })},
		{Name: "editor.spelling", set: tongues(func(c *Config) *string { return &c.Spelling })},
		{Name: "editor.dictate", set: func(c *Config, raw json.RawMessage) error { return decode(raw, &c.Dictate) }},
		{Name: "editor.emoji", set: yes(func(c *Config, on bool) { c.NoEmoji = !on })},
		{Name: "ide.connect", set: text(func(c *Config) *string { return &c.IDE.Connect }, bridging)},
		{Name: "ide.context", set: text(func(c *Config) *string { return &c.IDE.Context }, contexts)},
		{Name: "ide.answers", set: yes(func(c *Config, on bool) { c.IDE.ShowOnly = !on })},
		{Name: "keys", set: func(c *Config, raw json.RawMessage) (err error) { c.Bindings, err = ReadBindings(raw); return err }},
		{Name: "lang", set: text(func(c *Config) *string { return &c.Lang }, nil)},
		{Name: "system_prompt", set: text(func(c *Config) *string { return &c.SystemPrompt }, nil)},
		{Name: "append_system_prompt", set: text(func(c *Config) *string { return &c.AppendSystemPrompt }, nil)},
	}
	at := slices.IndexFunc(ks, func(k Key) bool { return k.Name == "max_turns" }) + 1
	ks = slices.Insert(ks, at, spendKeys()...)
	for i := range ks {
		ks[i].Project = ks[i].restrict != nil
	}
	return ks
}

// events looks at hooks no further than that they stand under events.
func events(_ *Config, raw json.RawMessage) error {
	var lists map[string][]map[string]json.RawMessage
	return decode(raw, &lists)
}

func find(name string) (Key, bool) {
	for _, k := range Keys() {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// isGroup reports whether settings stand inside an object of this name.
func isGroup(name string) bool {
	for _, k := range Keys() {
		if strings.HasPrefix(k.Name, name+".") {
			return true
		}
	}
	return false
}

// decode fills v, or leaves it as it was.
func decode[T any](raw json.RawMessage, v *T) error {
	var fresh T
	if string(raw) == "null" {
		return errors.New("must have a value")
	}
	if err := json.Unmarshal(raw, &fresh); err != nil {
		return err
	}
	*v = fresh
	return nil
}

func text(at func(*Config) *string, words []string) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var s string
		if err := decode(raw, &s); err != nil {
			return err
		}
		if words != nil {
			if err := oneOf(words, s); err != nil {
				return err
			}
		}
		*at(c) = s
		return nil
	}
}

// two is a text of two characters that a person can type.
func two(at func(*Config) *string) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var s string
		if err := decode(raw, &s); err != nil {
			return err
		}
		if utf8.RuneCountInString(s) != 2 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
			return fmt.Errorf("must be two characters, as jj, not %q", s)
		}
		*at(c) = s
		return nil
	}
}

// words is a list of some of the words there are, each at most once.
func words(all []string, at func(*Config) *[]string) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var list []string
		if err := decode(raw, &list); err != nil {
			return err
		}
		for i, w := range list {
			if err := oneOf(all, w); err != nil {
				return err
			}
			if slices.Contains(list[:i], w) {
				return fmt.Errorf("%q stands there twice", w)
			}
		}
		*at(c) = list
		return nil
	}
}

// favorites is a list of models, each named once.
func favorites(c *Config, raw json.RawMessage) error {
	var list []string
	if err := decode(raw, &list); err != nil {
		return err
	}
	for i, name := range list {
		if strings.TrimSpace(name) == "" {
			return errors.New("no name of a model may be empty")
		}
		if slices.Contains(list[:i], name) {
			return fmt.Errorf("%q stands there twice", name)
		}
	}
	c.Favorites = list
	return nil
}

// whileForm is hours and minutes, "1h30m", or off.
const whileForm = `^(off|([1-9][0-9]{0,2}h)?([1-9][0-9]{0,3}m)?)?$`

var whileText = lazy.Regexp{Expr: whileForm}

// awhile is a time in whole minutes, or off, which is 0.
func awhile(at func(*Config) *time.Duration) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var s string
		if err := decode(raw, &s); err != nil {
			return err
		}
		if !whileText.Get().MatchString(s) {
			return fmt.Errorf("must be off, or hours and minutes as \"15m\" or \"1h30m\", not %q", s)
		}
		*at(c), _ = time.ParseDuration(s) // off is none
		return nil
	}
}

// yes is a setting that is on or off.
func yes(say func(*Config, bool)) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var on bool
		if err := decode(raw, &on); err != nil {
			return err
		}
		say(c, on)
		return nil
	}
}

// tongue is the name of a language: "en", "en_GB".
var tongue = lazy.Regexp{Expr: `^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$`}

// tongues is a list of languages, parted by commas, or off.
func tongues(at func(*Config) *string) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var s string
		if err := decode(raw, &s); err != nil {
			return err
		}
		for l := range strings.SplitSeq(s, ",") {
			if l = strings.TrimSpace(l); s != "" && s != "off" && !tongue.Get().MatchString(l) {
				return fmt.Errorf("%q is no language; write off, or languages as \"en_GB\" or \"en_GB, de_DE\"", l)
			}
		}
		*at(c) = s
		return nil
	}
}

// within is a number between two others.
func within(least, most int, at func(*Config) *int) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var n int
		if err := decode(raw, &n); err != nil {
			return err
		}
		if n < least || n > most {
			return fmt.Errorf("must be %d to %d", least, most)
		}
		*at(c) = n
		return nil
	}
}

func count(at func(*Config) *int) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var n int
		if err := decode(raw, &n); err != nil {
			return err
		}
		if n < 1 {
			return fmt.Errorf("must be at least 1, not %d", n)
		}
		*at(c) = n
		return nil
	}
}

func price(at func(*Prices) *float64) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var f float64
		if err := decode(raw, &f); err != nil {
			return err
		}
		if f < 0 {
			return fmt.Errorf("must not be below 0, but is %v", f)
		}
		if c.Prices == nil {
			c.Prices = &Prices{}
		}
		*at(c.Prices) = f
		return nil
	}
}

// listed is how lists of rules are taken: file.rules reads them one by one.
func listed(*Config, json.RawMessage) error { return nil }

func percent(at func(*Config) **float64) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var f float64
		if err := decode(raw, &f); err != nil {
			return err
		}
		if f < 0 || f > 100 {
			return fmt.Errorf("must be from 0 to 100 percent, not %v", f)
		}
		*at(c) = &f
		return nil
	}
}

func stricterMode(c *Config, raw json.RawMessage) error {
	var mode string
	if err := text(func(*Config) *string { return &mode }, modes)(c, raw); err != nil {
		return err
	}
	mine := c.Permissions.Mode
	if mine == "" {
		mine = "ask"
	}
	for _, m := range modes {
		switch m {
		case mine:
			if mode == mine {
				return nil
			}
			return fmt.Errorf("a project may only make it stricter than %s", mine)
		case mode:
			c.Permissions.Mode = mode
			return nil
		}
	}
	return nil
}

// sandbox reads how commands are confined. A word that cannot be read is taken
// for the strictest: whoever wrote it wanted something of the sandbox.
func sandbox(c *Config, raw json.RawMessage) error {
	err := text(func(c *Config) *string { return &c.Sandbox }, boxes)(c, raw)
	if err != nil {
		c.Sandbox = boxes[0]
		return fmt.Errorf("%s; taken as %s", reason(err), boxes[0])
	}
	return nil
}

func stricterSandbox(c *Config, raw json.RawMessage) error {
	var box string
	if err := text(func(*Config) *string { return &box }, boxes)(c, raw); err != nil {
		return err
	}
	mine := c.Sandbox
	if mine == "" {
		mine = "auto"
	}
	if slices.Index(boxes, box) > slices.Index(boxes, mine) {
		return fmt.Errorf("a project may only make it stricter than %s", mine)
	}
	c.Sandbox = box
	return nil
}

func fewerTurns(c *Config, raw json.RawMessage) error {
	var n int
	if err := count(func(*Config) *int { return &n })(c, raw); err != nil {
		return err
	}
	most := c.MaxTurns
	if most == 0 {
		most = defaultTurns
	}
	if n > most {
		return fmt.Errorf("a project may only lower it below %d", most)
	}
	c.MaxTurns = n
	return nil
}

// Package config finds forge's settings and hands them out.
//
// It owns the two settings files (a person's and a project's), the list of keys
// they may have, the folders forge keeps things in, the memory of the model last
// used, and the store of pasted keys. main reads it once at the start and gives
// each room what it needs; no other room knows it, and it knows no other room.
package config

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// Screen is how the screen behaves towards the terminal.
type Screen struct {
	Glyphs     string // "auto", "unicode", "narrow" or "ascii"; empty: "auto"
	Inline     bool   // without the alternate screen
	Reader     bool   // plain lines, for a screen reader, in the place of a screen
	NoMouse    bool
	Exit       string        // what stays in the terminal: "last", "none" or "all"; empty: "last"
	Notify     string        // "auto", "bell", "osc9", "osc777", "osc99" or "off"; empty: "auto"
	Images     string        // "auto", "kitty", "iterm", "sixel" or "off": how pictures are shown; empty: "auto"
	Links      string        // "auto", "on" or "off": whether addresses and paths can be clicked; empty: "auto"
	Scrollbar  string        // "scrolled", "always" or "never"; empty: "scrolled"
	Wheel      int           // rows of a notch; 0: not set
	Reasoning  string        // "hidden", "line" or "full"; empty: "line"
	Panel      bool          // beside the conversation, where there is room
	Still      bool          // nothing moves by itself
	Focus      bool          // the work of a turn is one row
	Times      bool          // when each prompt and each answer was said is shown
	Tips       *bool         // whether one who waits is told of keys and commands; nil: on a screen, and not in plain lines
	RecapAfter time.Duration // away for so long, a recap is asked for; 0: never
	Suggest    bool          // a next prompt is suggested behind an answer
	NoAwayLine bool          // nothing is said of the time somebody was away
	NoTitle    bool
	TitleShows []string // what the window's title says behind forge's name
	Status     []string // parts of the line at the bottom, "|" between left and right
	Command    string   // a line for the shell, whose first line of output stands above it
	NoProgress bool
}

// IDE is how forge behaves towards the editor it runs in.
type IDE struct {
	Connect  string // "ask", "auto" or "off": when it is connected to; empty: "ask"
	Context  string // "named" or "auto": when its selection goes with a prompt; empty: "named"
	ShowOnly bool   // what is said there of a change answers no question
}

// Config is what the settings files say. Zero fields were not set.
type Config struct {
	Provider           string
	Model              string
	BaseURL            string
	Wire               string              // "openai" or "anthropic": what the base URL speaks
	APIKeyEnv          string              // the environment variable that holds the key
	APIKey             Template            // where the key comes from instead; nil: nowhere
	LateHeaders        map[string]Template // those of Headers that a command has to run for
	Borrowed           []string            // names of Headers whose values come from elsewhere
	ContextWindow      int                 // tokens
	MaxTokens          int                 // output tokens of one answer
	Effort             string
	Prices             *Prices
	Headers            map[string]string
	Permissions        Permissions
	Undo               Undo
	Update             Update
	Sandbox            string // "auto", "require" or "off": how commands are confined
	SandboxNetwork     string // "closed" or "open": the network of confined commands; empty: closed
	Secrets            Hiding
	Theme              string
	Lang               string // of forge's own words; empty: the environment's
	Screen             Screen
	Vim                bool      // the prompt takes the keys of vi
	VimEscape          string    // two characters that leave its insert mode; empty: none
	Dictate            []string  // a command that listens and writes what it heard, with its arguments; the person's own alone
	NoEmoji            bool      // no emoji are offered behind a colon
	Spelling           string    // languages the prompt's spelling is checked in, parted by commas; "off" and empty: none
	Bindings           []Binding // the keys chosen for the screen, in the file's order
	MaxTurns           int
	KeepSessions       int // days a conversation is kept after its last use; 0: for ever
	Spend              Spend
	Budget             int // tokens above which the conversation is shortened
	Keep               int // tokens that stay as they are then
	Compact            Compact
	LSP                json.RawMessage // true, false or an object: language servers; nil: not set
	DeferAbove         *float64        // percent of the window that definitions of MCP tools may take; nil: not set
	Agents             Agents
	SkillsOff          []string // skills the person switched off, by name
	Favorites          []string // models marked by the person, as "provider/model:effort", in their order
	IDE                IDE
	SystemPrompt       string
	AppendSystemPrompt string

	// Problems are lines for a person: what was wrong with the files, where, and
	// what forge did about it.
	Problems []string

	// Unset is the error of a setting that says with whom forge speaks and took something
	// from where there is nothing: nobody else is to be spoken with in its place.
	Unset error

	// Unused are the files that are there and of which nothing is used, since they
	// cannot be read or understood.
	Unused []string

	// Policy is the laxest that the machine's administrator lets anybody choose.
	Policy Policy

	user     map[string]json.RawMessage
	written  map[string][sha256.Size]byte // what the files say, by setting and scope
	careless bool                         // a rule that asks or denies could not be read
}

// Compact is how a conversation is shortened by itself. Zero values are unset.
type Compact struct {
	Off  bool // only when asked to, or when the server refuses it
	At   int  // percentage of the window above which it is
	Rest int  // turns between two times
}

// Agents is how sub-agents run. Zero values are unset.
type Agents struct {
	Parallel int // side by side
	Depth    int // floors of agents below the person's own
}

// Prices are US dollars per million tokens.
type Prices struct {
	Input, Output, CacheRead, CacheWrite float64
}

// Undo is what is remembered of changes, so that they can be taken back.
type Undo struct {
	Journal string // "on" or "off"; empty: on
	FileMB  int    // the largest file whose content is kept, in MB
	TotalMB int    // the most that all conversations keep, in MB
}

// Update is how forge learns of newer ones. Zero values are unset.
type Update struct {
	URL string // of the feed, in the place of the build's
	Off bool   // only when asked to
}

// Permissions are rules as the permission room reads them, and the mode to begin
// with. Rules holds every rule that stands in a file, with its place; those that
// count are in Allow, Ask and Deny as well.
type Permissions struct {
	Allow, Ask, Deny []string
	Mode             string
	Rules            []Rule
	// Unread says that a rule that asks or denies could not be read, so that no
	// allow rule counts and the mode is ask or stricter until that is mended.
	Unread bool
}

// Hiding is what becomes of keys and passwords on their way to a model.
type Hiding struct {
	Guard   string   // "on" or "off"; empty: on
	Prompts string   // "mask" or "send": those in a person's own prompts; empty: mask
	Allow   []string // expressions of what is none
	Extra   []string // expressions of what is one as well
}

// Rule is the text of a rule and where it stands.
type Rule struct {
	Action, Text string // the action is allow, ask or deny
	File         string
	Line         int // from 1
	Scope        Scope
}

// Scope is whose file something stands in.
type Scope string

// The scopes. What a policy says, nobody undoes.
const (
	ScopePolicy  Scope = "policy"
	ScopeUser    Scope = "user"
	ScopeProject Scope = "project"
)

// Load reads a person's file and a project's; either may be missing. It never
// fails: what cannot be read or understood is left out and named in Problems. A
// project's file comes with a stranger's repository, so it may only restrict;
// whatever would send data elsewhere or allow more is left out of it.
func Load(user, project string) *Config { return LoadUnder(nil, user, project) }

// LoadUnder is Load under policies: files of whoever administers the machine. They
// may only restrict, as a project's may, and nothing after them undoes it: their
// mode and sandbox are the laxest that may be chosen, see Policy.
func LoadUnder(policies []string, user, project string) *Config {
	c := &Config{user: map[string]json.RawMessage{}}
	for _, p := range policies {
		c.file(p, ScopePolicy)
		c.policed()
	}
	if user != "" {
		c.file(user, ScopeUser)
	}
	if project != "" && !sameFile(user, project) {
		c.file(project, ScopeProject)
	}
	if c.APIKey != nil && c.Provider+c.Model+c.BaseURL == "" {
		c.APIKey = nil
		c.Problems = append(c.Problems, user+": api_key needs provider, model or base_url beside it, which say whose key it is; left out")
	}
	// A lost denial must not leave behind what it was to hold back.
	if c.careless {
		c.Permissions.Unread = true
		c.Permissions.Allow = nil
		if c.Permissions.Mode != "plan" {
			c.Permissions.Mode = "ask"
		}
		c.Problems = append(c.Problems, "until the permissions are mended, forge asks before everything")
	}
	return c
}

// ProjectFile is where a workspace keeps its settings.
func ProjectFile(workspace string) string { return filepath.Join(workspace, ".forge", "forge.json") }

// Section decodes one top-level value of the person's file into v, for rooms that
// have settings of their own. A section that is not there leaves v as it is.
func (c *Config) Section(name string, v any) error {
	raw, ok := c.user[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("settings %q: %s", name, reason(err))
	}
	return nil
}

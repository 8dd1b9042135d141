package config

import "strings"

// Kind is what a setting's value is.
type Kind string

// The kinds.
const (
	Text   Kind = "text"
	Words  Kind = "words" // one of Setting.Words
	Number Kind = "number"
	Whole  Kind = "whole" // a whole number
	Switch Kind = "switch"
	List   Kind = "list"   // of texts
	Object Kind = "object" // of texts or of objects
	Named  Kind = "named"  // an object of texts or of lists of texts
	Either Kind = "either" // on or off, or an object that says more
)

// about is what a person is told of a setting. The default is a value, or words in
// English where there is none that could be written down.
type about struct {
	kind         Kind
	words        []string
	text, preset string
}

// bounds is what the schema says of a value beside its kind.
func bounds(name string) map[string]any {
	between := func(least, most int) map[string]any { return map[string]any{"minimum": least, "maximum": most} }
	switch name {
	case "compact.at":
		return between(10, 95)
	case "screen.wheel":
		return between(1, 20)
	case "agents.parallel":
		return between(1, 32)
	case "agents.depth":
		return between(1, 3)
	case "spend.warn":
		return between(1, 100)
	case "mcp.defer_above":
		return between(0, 100)
	case "editor.vim_escape":
		return map[string]any{"minLength": 2, "maxLength": 2}
	case "api_key":
		return map[string]any{"pattern": `\$\{|\{env:|\{file:|\$\(`}
	case "screen.recap_after":
		return map[string]any{"pattern": whileForm}
	case "editor.spelling":
		return map[string]any{"pattern": `^(off|[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*( *, *[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*)*)?$`}
	case "headers":
		return map[string]any{"additionalProperties": map[string]any{"type": "string"}}
	case "lsp":
		return languageServersSchema()
	case "mcpServers":
		return map[string]any{"additionalProperties": map[string]any{"type": "object"}}
	case "hooks":
		return map[string]any{"additionalProperties": map[string]any{"type": "array", "items": map[string]any{"type": "object"}}}
	}
	switch a := abouts()[name]; {
	case strings.HasPrefix(name, "prices."):
		return map[string]any{"minimum": 0}
	case a.kind == Number:
		return map[string]any{"exclusiveMinimum": 0}
	case a.kind == Whole:
		return map[string]any{"minimum": 1}
	}
	return nil
}

func abouts() map[string]about {
	return map[string]about{
		"provider":              {Text, nil, "the endpoint's name, as forge models lists it", "the first with a key"},
		"model":                 {Text, nil, "the model's ID", "the model last used"},
		"base_url":              {Text, nil, "an endpoint of your own", ""},
		"wire":                  {Words, wires, "what base_url speaks", ""},
		"api_key_env":           {Text, nil, "the environment variable that holds the key", ""},
		"api_key":               {Text, nil, "where the key comes from: ${VAR}, {file:PATH}, or $(command), which runs when it is needed", ""},
		"headers":               {Object, nil, "sent with every request to the model", ""},
		"context_window":        {Whole, nil, "tokens of the model's window, where forge does not know it or knows it wrong", "the model's"},
		"max_tokens":            {Whole, nil, "tokens of the longest answer, reasoning included", "the model's"},
		"effort":                {Words, efforts, "how much the model may think", "the model's"},
		"prices.input":          {Number, nil, "US dollars per million tokens of input", "as listed"},
		"prices.output":         {Number, nil, "US dollars per million tokens of output", "as listed"},
		"prices.cache_read":     {Number, nil, "US dollars per million tokens read from the server's cache", "as input"},
		"prices.cache_write":    {Number, nil, "US dollars per million tokens written to the cache", "as input"},
		"permissions.allow":     {List, nil, "rules of what runs without a question", ""},
		"permissions.ask":       {List, nil, "rules of what always asks", ""},
		"permissions.deny":      {List, nil, "rules of what never runs; wins over everything", ""},
		"permissions.mode":      {Words, modes, "the mode to begin in", "ask"},
		"sandbox":               {Words, boxes, "whether the system confines commands", "auto"},
		"sandbox_network":       {Words, nets, "whether confined commands reach the network", "closed"},
		"secrets.guard":         {Words, guards, "whether keys and passwords are hidden from the model", guards[0]},
		"secrets.prompts":       {Words, prompts, "those in what you write yourself", prompts[0]},
		"secrets.allow":         {List, nil, "expressions of what looks like a secret and is none", ""},
		"secrets.extra":         {List, nil, "expressions of what is a secret as well", ""},
		"max_turns":             {Whole, nil, "model calls for one prompt before forge asks or, headless, stops", "100"},
		"spend.session.usd":     {Number, nil, "US dollars one conversation may cost", ""},
		"spend.session.tokens":  {Whole, nil, "tokens one conversation may use", ""},
		"spend.session.turns":   {Whole, nil, "model calls of one conversation", ""},
		"spend.session.minutes": {Number, nil, "minutes of work in one conversation", ""},
		"spend.day.usd":         {Number, nil, "US dollars all conversations of a day may cost", ""},
		"spend.day.tokens":      {Whole, nil, "tokens all conversations of a day may use", ""},
		"spend.day.turns":       {Whole, nil, "model calls of a day", ""},
		"spend.day.minutes":     {Number, nil, "minutes of work in a day", ""},
		"spend.warn":            {Whole, nil, "percent of a limit above which you are warned", "80"},
		"budget":                {Whole, nil, "tokens above which the conversation is shortened", "when the window is nearly full"},
		"keep":                  {Whole, nil, "tokens of its end that stay word for word then", "a quarter of the limit"},
		"compact.auto":          {Switch, nil, "whether a conversation is shortened by itself", "true"},
		"compact.at":            {Whole, nil, "percent of the window above which it is", ""},
		"compact.rest":          {Whole, nil, "turns between two times at the least", "3"},
		"mcpServers":            {Object, nil, "MCP servers, as forge mcp add writes them", ""},
		"hooks":                 {Object, nil, "commands of your own at set moments, by event; a project's run once you trust them", ""},
		"lsp":                   {Either, nil, "language servers that tell errors after an edit: true for the known ones, or an object of servers", "false"},
		"mcp.defer_above":       {Number, nil, "percent of the window above which servers' tools are found by search", "10"},
		"sessions.keep":         {Whole, nil, "days a conversation is kept", "for good"},
		"update.url":            {Text, nil, "where newer forges are described, for forge update and the notice", "the build's"},
		"update.check":          {Switch, nil, "whether forge looks once a day, after its first frame, for a newer one", "true"},
		"undo.journal":          {Words, []string{"on", "off"}, "whether forge remembers what changes to files replace", "on"},
		"undo.file_mb":          {Whole, nil, "megabytes of the largest file whose content is remembered", "4"},
		"undo.total_mb":         {Whole, nil, "megabytes all conversations remember at the most", "1024"},
		"agents.parallel":       {Whole, nil, "sub-agents that run at the same time at the most", "4"},
		"favorite_models":       {List, nil, "models a key goes through, each as provider/model or provider/model:effort; /model marks them", ""},
		"skills.off":            {List, nil, "skills that are switched off, by name; /skills does that", ""},
		"agents.depth":          {Whole, nil, "floors of sub-agents; with 1 they start none themselves", "1"},
		"theme":                 {Text, nil, "the colours of the screen: one of forge's, or a file in themes/ beside these settings", "auto"},
		"screen.glyphs":         {Words, glyphSets, "the symbols of the screen; narrow where the terminal draws ambiguous ones in two cells", glyphSets[0]},
		"screen.inline":         {Switch, nil, "whether what is finished stays in the terminal, and forge leaves out the alternate screen", "false"},
		"screen.reader":         {Switch, nil, "whether forge speaks in plain lines, for a screen reader, in the place of a screen", "false"},
		"screen.mouse":          {Switch, nil, "whether the wheel and a drag are forge's; else the terminal's", "true"},
		"screen.wheel":          {Whole, nil, "rows a notch of the wheel moves", "3"},
		"screen.scrollbar":      {Words, scrollbars, "the scrollbar at the edge of the conversation", scrollbars[0]},
		"screen.reasoning":      {Words, reasonings, "how much of the model's reasoning is shown; /reasoning changes it", "line"},
		"screen.panel":          {Switch, nil, "whether a panel stands beside the conversation where the screen has 110 columns; ctrl+x b changes it", "false"},
		"screen.motion":         {Switch, nil, "whether what is at work turns; else it stands still, and seconds alone are counted", "true"},
		"screen.focus":          {Switch, nil, "whether what the model does between a prompt and its answer is one row; /focus changes it", "false"},
		"screen.tips":           {Switch, nil, "whether a dim line tells of a key or a command you have not used, while a run takes its time; plain lines tell it only where this is true", "true"},
		"screen.times":          {Switch, nil, "whether when each prompt and each answer was said stands at the edge of its row; /times changes it", "false"},
		"screen.away_line":      {Switch, nil, "whether a line tells, once you are back after five minutes and more, what happened meanwhile; no model is asked", "true"},
		"screen.suggest":        {Switch, nil, "whether a next prompt is suggested behind an answer, which tab takes; each is a request with the whole conversation, most of it read from the cache", "false"},
		"screen.recap_after":    {Text, nil, "away for this long, as 15m, while something happened, a recap is written once you are back: each is a request with the whole conversation, whose cache may be gone by then; off: none", "off"},
		"screen.exit":           {Words, partings, "what stays in the terminal when the screen is gone", "last"},
		"screen.images":         {Words, pictureWays, "how pictures are shown in the terminal", "auto"},
		"screen.links":          {Words, linkWays, "whether addresses and paths of files can be clicked (OSC 8)", "auto"},
		"screen.notify":         {Words, ways, "how you are told, while you look elsewhere, that forge wants you", "auto"},
		"screen.title":          {Switch, nil, "whether the window's title tells of the run", "true"},
		"screen.title_shows":    {List, titleParts, "what the window's title says behind forge's name", `["path"]`},
		"screen.status":         {List, statusParts, "the parts of the status line, those behind | on the right; /statusline arranges them", "the usual ones"},
		"screen.status_command": {Text, nil, "a command of your own whose first line stands above the status line; it gets JSON on its input", ""},
		"screen.progress":       {Switch, nil, "whether the terminal shows progress", "true"},
		"editor.vim":            {Switch, nil, "whether the prompt takes the keys of vi", "false"},
		"editor.vim_escape":     {Text, nil, "two characters that leave insert mode when they are typed quickly, as jj", ""},
		"editor.dictate":        {List, nil, "a command of your own that listens and writes what you say, with its arguments", ""},
		"editor.spelling":       {Text, nil, "the languages whose spelling is checked in the prompt, as en_GB or \"en_GB, de_DE\"; off: none", "off"},
		"editor.emoji":          {Switch, nil, "whether a colon and two letters offer emoji in the prompt", "true"},
		"ide.connect":           {Words, bridging, "when forge connects to the editor it runs in: when /ide asks for it, by itself, or not at all", bridging[0]},
		"ide.context":           {Words, contexts, "when what is selected there goes with a prompt: when it is named, or always", contexts[0]},
		"ide.answers":           {Switch, nil, "whether accepting or turning down a change there answers the question", "true"},
		"keys":                  {Named, nil, "keys of your own: an action to a key or a list of keys; forge config keys lists the actions", ""},
		"lang":                  {Text, nil, "the language of forge's own words", "the environment's"},
		"system_prompt":         {Text, nil, "replaces forge's own role and manners", ""},
		"append_system_prompt":  {Text, nil, "added at the end of the system prompt", ""},
	}
}

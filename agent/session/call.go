package session

import "forge/provider"

// Call is what a screen showed of a tool call and the model was not told.
type Call struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind,omitempty"`
	Title   string   `json:"title,omitempty"`
	Paths   []string `json:"paths,omitempty"`
	Command string   `json:"command,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Server  string   `json:"server,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	Display string   `json:"display,omitempty"`
	Own     bool     `json:"own,omitempty"`    // Display is words of the person's or the model's
	Review  string   `json:"review,omitempty"` // how what landed differs from what was proposed
	Found   []Found  `json:"found,omitempty"`  // what was wrong with the files then
	Hidden  string   `json:"hidden,omitempty"` // which secrets were replaced in the result, in words
	Looks   []string `json:"looks,omitempty"`  // lines of the result with the colours the command gave them
	Refused bool     `json:"refused,omitempty"`
	Took    int64    `json:"took_ms,omitempty"`
	Changes []Change `json:"changes,omitempty"` // what was really written
	Child   *Child   `json:"child,omitempty"`   // the agent that ran as this call
}

// Found is what somebody found wrong with files once they were changed: errors that
// were not there before, that were, that are not there any more, and new ones elsewhere.
type Found struct {
	By        string   `json:"by"`
	New       int      `json:"new,omitempty"`
	Old       int      `json:"old,omitempty"`
	Gone      int      `json:"gone,omitempty"`
	Elsewhere int      `json:"elsewhere,omitempty"`
	Unsure    bool     `json:"unsure,omitempty"`
	Lines     []string `json:"lines,omitempty"`
	Note      string   `json:"note,omitempty"`
}

// Child is an agent that ran as a call: its name, the session its own conversation
// is kept in, and what it used, its own agents included. Cost is US dollars, all of
// it where Priced is set.
type Child struct {
	Agent   string          `json:"agent,omitempty"`
	Session string          `json:"session,omitempty"`
	Turns   int             `json:"turns,omitempty"`
	Usage   *provider.Usage `json:"usage,omitempty"`
	Cost    float64         `json:"cost,omitempty"`
	Priced  bool            `json:"priced,omitempty"`
}

// Note is a line for the person, beside the message that tells a model the same:
// files were taken back.
type Note struct {
	Text string `json:"text"`
}

// Shell is a command of the person's own, beside the message that tells a model
// of it and of its output.
type Shell struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Display string `json:"display,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Took    int64  `json:"took_ms,omitempty"`

	Looks []string `json:"looks,omitempty"` // as of Call
}

// Change is one file a call changed. Large ones are kept without their bytes.
type Change struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // before a move
	Op     string `json:"op"`
	Thing  string `json:"thing,omitempty"` // what is deleted or moved, if not a text: "folder", "link", "binary", "large"
	Files  int    `json:"files,omitempty"` // in a folder
	Size   int64  `json:"size,omitempty"`  // of what is deleted or moved, in bytes
	Mode   uint32 `json:"mode,omitempty"`
	Before Exact  `json:"before,omitempty"`
	After  Exact  `json:"after,omitempty"`
	Large  bool   `json:"large,omitempty"`
}

// Aside is a question that was asked beside the work; no model sees it again. For is
// what for, one of budget's words; empty: the person asked it with /btw, or an older
// forge kept it, which had no such words. Cost is US dollars, nil where it is not known.
type Aside struct {
	For      string          `json:"for,omitempty"`
	Question string          `json:"question"`
	Answer   string          `json:"answer,omitempty"`
	Usage    *provider.Usage `json:"usage,omitempty"`
	Cost     *float64        `json:"cost,omitempty"`
}

package session

import (
	"time"

	"forge/provider"
)

// Record is one line of a session. Besides Seq and Time exactly one of the
// pointers or Title is set; Line, Calls, Cost, Steer, Shell, Note and Torn go with Message,
// Calls with Early too. A record of a kind this version does not know has none of them,
// and stays in the file.
//
// Early, Partial, Asked, Queue, End, Spent, Aside and Loops are no history: they tell what was under way,
// so that a forge that is killed can be gone on with. See Unfinished.
type Record struct {
	Seq     int       // counts up in a file, from the header's 0
	Time    time.Time // UTC
	Header  *Header
	Line    string // beside a user message: what the person typed, where the message is what became of it
	Message *provider.Message
	Calls   []Call   // beside a message of results: what a screen showed of each
	Cost    *float64 // beside an assistant message: US dollars, nil if unknown
	Steer   bool     // the user message was sent while the agent worked
	Shell   *Shell   // the user message tells of a command the person ran
	Note    *Note    // the user message tells of something forge did for the person
	Torn    bool     // the assistant message was being said when forge ended
	Cut     *Cut
	Strip   *Strip
	Trim    *Trim
	Undo    *Undo
	Title   string // a name a person gave
	Folder  string // one more that was opened to the tools, absolute
	Moved   *Moved
	Model   *Model
	Draft   *string           // what stood in the composer
	Early   *provider.Message // results that came before the others of their message
	Partial *Partial
	Asked   *Asked
	Queue   *Queue
	End     *End
	Spent   *Spent
	Aside   *Aside
	Edit    *Edit
	Pin     *Pin
	Goal    *Goal
	Loops   *Loops
}

// Header opens a file.
type Header struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Cwd     string    `json:"cwd"`
	Branch  string    `json:"branch,omitempty"`
	Created time.Time `json:"created"`
	From    string    `json:"from,omitempty"`   // the ID of what it is a copy of
	Parent  string    `json:"parent,omitempty"` // the session whose call this one is
	Call    string    `json:"call,omitempty"`   // that call
	Agent   string    `json:"agent,omitempty"`  // the agent it is of
}

// Moved says where the conversation is worked on from here on: its header says where it
// began. It is said again every now and then, so that a list that reads the end of a file
// finds it.
type Moved struct {
	Dir    string `json:"dir"` // absolute
	Branch string `json:"branch,omitempty"`
}

// Model names what answers from here on.
type Model struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
	Effort   string `json:"effort,omitempty"`
}

func (r Record) kind() string {
	switch {
	case r.Header != nil:
		return "header"
	case r.Message != nil:
		return "message"
	case r.Cut != nil:
		return "cut"
	case r.Strip != nil:
		return "strip"
	case r.Trim != nil:
		return "trim"
	case r.Undo != nil:
		return "undo"
	case r.Title != "":
		return "title"
	case r.Folder != "":
		return "folder"
	case r.Moved != nil:
		return "moved"
	case r.Model != nil:
		return "model"
	case r.Draft != nil:
		return "draft"
	case r.Early != nil:
		return kindEarly
	case r.Partial != nil:
		return "partial"
	case r.Asked != nil:
		return "asked"
	case r.Queue != nil:
		return "queue"
	case r.End != nil:
		return "end"
	case r.Aside != nil:
		return "aside"
	case r.Spent != nil:
		return "spent"
	case r.Edit != nil:
		return "edit"
	case r.Pin != nil:
		return "pin"
	case r.Goal != nil:
		return "goal"
	case r.Loops != nil:
		return "loops"
	}
	return ""
}

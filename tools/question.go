package tools

import "context"

// Guard decides whether a prepared call may run. Permission implements it.
type Guard interface {
	Authorize(ctx context.Context, call Call, effect Effect) (Verdict, error)
}

// Verdict is a guard's answer. Reason is told to the model when Allow is false,
// and beside the result when Changes differ from what was proposed. Changes, if
// not nil, is the reviewer's version of Effect.Changes. Env is what a command is
// to run with on top of its environment: part of why it may run. Still, if not nil,
// is asked right before the start what has changed since the answer; anything but
// an empty text voids it, and the guard is asked again.
type Verdict struct {
	Allow   bool
	Reason  string
	Changes []Change
	Env     []string
	Asked   bool // a person was asked about this very call and allowed it
	Still   func() string
}

// Question is how anything but a permission asks the person: a turn limit, an
// elicitation, a budget, trust. One queue, one dialog at a time.
type Question struct {
	ID, Source, Title, Body string
	Choices                 []Choice
	Fields                  []Field
	// URL is a page the person is asked to open in a browser. It is shown whole, and
	// opened by a key of the person's alone; opening it answers with the first choice.
	URL string
	// Topics are what a model wants to know; where there are some, neither Body nor
	// Choices nor Fields are. Title says it in a line, for a record.
	Topics []Topic
}

// Topic is one thing a model wants to know. All its words are the model's: a face shows
// them as quoted, and no answer to it allows anything. The person may always answer in
// words of their own.
type Topic struct {
	Header, Text string // what it is about, in a word or two; the question
	Options      []Alternative
	Many         bool // any number of Options
}

// Alternative is one of the answers a model has thought of; About may be empty.
type Alternative struct{ Label, About string }

// Response is what the person said to a Topic: places in its Options, in their order, and
// words of their own. Neither: that it was left open.
type Response struct {
	Chosen []int
	Words  string
}

// Open reports whether nothing was said.
func (t Response) Open() bool { return len(t.Chosen) == 0 && t.Words == "" }

// Choice is one answer; Key is the letter or digit that picks it.
type Choice struct{ ID, Label, Key string }

// Field is one value to be typed, or to be chosen where there are Options.
type Field struct {
	Name, Label, Default string
	Note                 string // more of it, beneath the label
	Secret               bool
	Required             bool     // a form with nothing in it is not sent
	Options              []Option // the values there are; none: any text
	Many                 bool     // any number of Options; the values come one a line
	// Check says what is wrong with a value that is not empty; nil: nothing can be.
	// It must not block.
	Check func(value string) error
}

// Option is a value a Field may have. Label is what the person sees; empty: Value.
type Option struct{ Value, Label string }

// Reply answers a Question. An empty Choice means that the person closed it.
type Reply struct {
	Choice    string
	Values    map[string]string
	Responses []Response // one for each of the Topics
}

// Asker puts a Question to a person, or answers for one who is not there.
type Asker interface {
	Ask(ctx context.Context, q Question) (Reply, error)
}

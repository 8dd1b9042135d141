// Package demo plays a script in the place of a model: for demos, tests and evals.
//
// It owns the script format, the sample project and script that `--demo` shows,
// and three ways to play a script that give the same events and token figures: a
// provider.Provider inside the program, and an HTTP server that speaks both
// wires. The wiring calls it for --demo and `debug serve`, tests from everywhere.
// It sees nothing but the conversation it is sent, so a script is played by
// position: the n-th turn answers a conversation with n replies in it.
//
// # The script
//
// A script is lines of text, one directive a line. A line that begins with # is a
// comment. Lines indented below a directive continue it: their common indentation
// is taken off, blank lines among them are kept, and # means itself. So any text,
// Markdown and JSON included, stands in a script as it is.
//
//	title  WORDS                 a name for people
//	pace   N                     words a second when played for eyes
//	closing WORDS                said when the script is over
//
// A turn is what stands up to its end, and answers one request:
//
//	expect CONDITION             the turn fails with a clear error unless it holds
//	think  WORDS                 reasoning
//	text   WORDS                 words of the answer; the next text of the turn goes on a new line
//	call   NAME JSON             a tool call; several in a turn are asked for at once
//	rawcall NAME WORDS           a call whose arguments need not be JSON
//	pause  DURATION | forever    a silence (skipped unless played for eyes); forever waits for the reader to leave
//	error  KIND [STATUS] [times=N|always] [after=DURATION] WORDS
//	                             the request fails here, N times (1), then the turn plays on without
//	cut                          the connection breaks here, once
//	usage  input=N output=N cache_read=N cache_write=N reasoning=N
//	                             figures in place of the computed ones
//	when   CONDITION             what follows is played if it holds; the first when of a turn that does, wins
//	otherwise                    what follows is played if no when did
//	end    [REASON]              end_turn, tool_use, max_tokens, refusal, pause
//
// `aside … end` is a turn outside the order: it answers requests that offer no
// tools, such as a summary, and questions beside the work.
//
// `loop … end` is a turn that answers its place and every later one, so that a script
// can go on however often the conversation is shortened. In a branch whose condition
// is an expression, $1 to $9 in the words and arguments are what its groups found.
//
// `agent NAME` says that the turns after it answer the sub-agents of that name, each
// from the first one on; `agent` alone goes back to the person's own.
//
// A CONDITION is one of, each with an optional not in front:
//
//	user TEXT                    the newest words of the user contain TEXT
//	result TEXT                  a result of the last calls contains TEXT
//	result[NAME] TEXT            a result of a call of tool NAME contains TEXT
//	failed, failed[NAME]         a result is an error
//	refused, refused[NAME]       a call was not allowed to run
//	prompt                       the newest message is the user's own, with no results
//	tool NAME                    the request offers the tool
//	system TEXT                  the system prompt contains TEXT
//	seen TEXT                    the request holds TEXT anywhere in its messages
//	task TEXT                    the user's first words contain TEXT
//
// TEXT is taken as it is; /TEXT/ is a regular expression.
package demo

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"forge/provider"
)

// Options says how a script is played.
type Options struct {
	// Pace is words a second; 0 plays at once and skips pauses, as tests want it;
	// negative plays at the script's own pace, or DefaultPace.
	Pace float64
}

// DefaultPace is words a second, a little faster than most models write.
const DefaultPace = 45

// ModelID is the ID of the model a script plays.
const ModelID = "demo"

// Model describes the model a script plays. It costs nothing, and is known to.
func Model() provider.Model {
	return provider.Model{
		Provider: "demo", ID: ModelID, Name: "Demo", Window: 200_000, MaxOutput: 32_000, Reasoning: true, Images: true,
		Price: provider.Price{Known: true}, Efforts: []provider.Effort{provider.EffortLow, provider.EffortMedium, provider.EffortHigh},
	}
}

// New returns a provider that plays s. It may be used by several conversations at
// once: what it answers depends on the conversation alone, but for errors that
// occur a number of times.
func New(s *Script, o Options) provider.Provider { return newPlayer(s, o) }

// player plays a script to any of the three faces.
type player struct {
	script *Script
	pace   float64 // words a second; 0: at once

	mu    sync.Mutex
	times map[occasion]int
}

// occasion is a scripted failure in one conversation.
type occasion struct {
	conversation uint64
	line         int
}

func newPlayer(s *Script, o Options) *player {
	p := &player{script: s, pace: o.Pace, times: map[occasion]int{}}
	if o.Pace < 0 {
		p.pace = s.Pace
		if p.pace == 0 {
			p.pace = DefaultPace
		}
	}
	return p
}

// Stream implements provider.Provider.
func (p *player) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		started := false
		for _, b := range p.play(converse(req)) {
			if err := p.wait(ctx, b); err != nil {
				yield(nil, err)
				return
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
			if b.event == nil {
				continue
			}
			if !started && !yield(provider.Start{Origin: "demo/" + ModelID}, nil) {
				return
			}
			started = true
			if !yield(b.event, nil) {
				return
			}
		}
	}
}

// beat is one step of a played turn: a wait, then an event or the end.
type beat struct {
	words   float64 // of the script's pace
	pause   time.Duration
	forever bool
	event   provider.Event
	err     *provider.Error
	cut     bool // err is a broken connection: the wire says nothing, it ends
}

// wait holds a beat back as long as the pace wants. It returns ctx's error.
func (p *player) wait(ctx context.Context, b beat) error {
	if b.forever {
		<-ctx.Done()
		return ctx.Err()
	}
	d := time.Duration(0)
	if p.pace > 0 {
		d = b.pause + time.Duration(b.words/p.pace*float64(time.Second))
	}
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

var errNoScript = errors.New("empty script: it has no turn")

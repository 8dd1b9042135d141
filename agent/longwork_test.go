package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/openai"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/sandbox"
)

// say is a turn a server answers with: one call, or words that end the run.
type say struct{ tool, input, text string }

// wireServer plays turns on both wires and keeps every request.
type wireServer struct {
	*httptest.Server
	mu       sync.Mutex
	next     func() say                     // for the conversation
	compacts func(n int) (say, int, string) // for a compaction: what it says, or the status and body it fails with
	bodies   [][]byte                       // of the conversation
	asked    int                            // requests for a compaction
	faults   []string
}

func newWireServer(t *testing.T) *wireServer {
	s := &wireServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *wireServer) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var turn say
	cached := 0
	if strings.Contains(string(body), "You write the handover note") {
		s.asked++
		status, text := 0, ""
		if turn, status, text = s.compacts(s.asked); status != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, text)
			return
		}
	} else {
		if n := len(s.bodies); n > 0 {
			cached = same(string(s.bodies[n-1]), string(body)) / 4
		}
		s.bodies = append(s.bodies, body)
		turn = s.next()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	id := fmt.Sprint("call_", len(s.bodies))
	if strings.HasSuffix(req.URL.Path, "/messages") {
		if !gjson.GetBytes(body, "max_tokens").Exists() {
			s.faults = append(s.faults, "no max_tokens")
		}
		s.anthropic(w, turn, id, len(body)/4, cached)
	} else {
		s.openai(w, turn, id, len(body)/4, cached)
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func (s *wireServer) openai(w io.Writer, turn say, id string, in, cached int) {
	why := "stop"
	if turn.tool != "" {
		why = "tool_calls"
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":%q,\"type\":\"function\",\"function\":{\"name\":%q,\"arguments\":%s}}]}}]}\n\n", id, turn.tool, quoted(turn.input))
	} else {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", quoted(turn.text))
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", why)
	fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":20,\"prompt_tokens_details\":{\"cached_tokens\":%d}}}\n\ndata: [DONE]\n\n", in, cached)
}

func (s *wireServer) anthropic(w io.Writer, turn say, id string, in, cached int) {
	event := func(kind, data string) { fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data) }
	event("message_start", fmt.Sprintf(`{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}}}`, in-cached, cached))
	why := "end_turn"
	if turn.tool != "" {
		why = "tool_use"
		event("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}}`, id, turn.tool))
		event("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":%s}}`, quoted(turn.input)))
	} else {
		event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		event("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}`, quoted(turn.text)))
	}
	event("content_block_stop", `{"type":"content_block_stop","index":0}`)
	event("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":20}}`, why))
	event("message_stop", `{"type":"message_stop"}`)
}

// wires gives a provider of each wire for one server.
func (s *wireServer) wires() map[string]provider.Provider {
	return map[string]provider.Provider{
		"openai":    openai.New(openai.Options{BaseURL: s.URL + "/v1"}),
		"anthropic": anthropic.New(anthropic.Options{BaseURL: s.URL}),
	}
}

// checkpoint is a note as a good model writes it of a session it hardly
// understood: every heading, and the todos and files it was told it lost.
func checkpoint(lost string) string {
	var b strings.Builder
	for _, h := range []string{"Goal", "Decisions", "Files", "State", "Todos", "Open questions", "Next step"} {
		fmt.Fprintf(&b, "## %s\nas above %s\n", h, lost)
	}
	return b.String()
}

// Two hundred turns, at least five compactions, twenty facts drawn at random: each
// is in the request that goes out, from the moment it was planted to the end,
// whatever the model makes of the summaries.
func TestLongWorkKeepsItsFacts(t *testing.T) {
	over := map[string]string{
		"openai":    `{"error":{"message":"This model's maximum context length is 999 tokens","code":"context_length_exceeded"}}`,
		"anthropic": `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9999 tokens > 999 maximum"}}`,
	}
	for _, wire := range []string{"openai", "anthropic"} {
		for name, compacts := range map[string]func(n int) (say, int, string){
			"good":      func(int) (say, int, string) { return say{text: checkpoint("")}, 0, "" },
			"nonsense":  func(n int) (say, int, string) { return say{text: fmt.Sprint("banana ", n)}, 0, "" },
			"refusing":  func(int) (say, int, string) { return say{text: "I can't help with that."}, 0, "" },
			"overflows": func(int) (say, int, string) { return say{}, 400, over[wire] },
		} {
			t.Run(wire+"/"+name, func(t *testing.T) {
				t.Parallel()
				longWork(t, wire, compacts)
			})
		}
	}
}

// worker is a session of long work: prompts, turns and the facts planted in them.
type worker struct {
	t       *testing.T
	r       *rand.Rand
	agent   *Agent
	server  *wireServer
	env     *builtin.Env
	facts   []string
	planted int
	turns   int
	cuts    int
}

func (w *worker) fact() string {
	w.planted++
	return fmt.Sprintf("f%dx%08x", w.planted, w.r.Uint32())
}

func longWork(t *testing.T, wire string, compacts func(int) (say, int, string)) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := newWireServer(t)
	s.compacts = compacts
	dir := t.TempDir()
	ws, err := sandbox.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	w := &worker{t: t, r: rand.New(rand.NewPCG(seed, 1)), server: s, env: &builtin.Env{Workspace: ws}}
	look := tool{name: "look", kind: tools.Read, run: func(_ context.Context, in map[string]any, _ io.Writer) (tools.Result, error) {
		return tools.Result{Text: fmt.Sprint(in["say"], "\n", strings.Repeat(fmt.Sprint("line ", in["say"], " of many\n"), 50))}, nil
	}}
	reg, err := tools.NewRegistry(append(builtin.All(w.env), look)...)
	if err != nil {
		t.Fatal(err)
	}
	sess, err := session.Create(t.TempDir(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	p := s.wires()[wire]
	model := provider.Model{ID: "m", Window: 14_000}
	w.agent = New(Options{Provider: p, Model: model, Exec: &tools.Executor{Tools: reg, Guard: allow{}, Bound: tools.Bound{Dir: t.TempDir()}},
		System: "You work.", Session: sess, MaxTurns: -1, Compact: compact.New(compact.Options{Provider: p, Model: model, Keep: 2000, Rest: 1}),
		Facts: func() compact.Facts {
			f := compact.Facts{Mode: "fmodex-edits"}
			for _, it := range w.env.Todos.List() {
				if it.Status != "done" {
					f.Todos = append(f.Todos, it.Text)
				}
			}
			return f
		}})
	w.work()
	if err := session.Check(w.agent.History()); err != nil {
		t.Error(err)
	}
	for _, f := range s.faults {
		t.Error(f)
	}
	if w.turns < 200 || w.cuts < 5 || w.cuts > 40 || len(w.facts) != 20 {
		t.Errorf("%d turns, %d compactions, %d facts", w.turns, w.cuts, len(w.facts))
	}
	last := s.bodies[len(s.bodies)-1]
	if wire == "anthropic" && strings.Contains(gjson.GetBytes(last, "system").Raw, "shortened to fit") {
		t.Error("the summary stands in the system prompt")
	}
	// A forge that resumes it sends the same facts.
	sess.Close()
	again, rs, err := session.Open(sess.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	was := w.agent.History()
	w.agent.Resume(again, rs)
	if a, b := fmt.Sprint(was), fmt.Sprint(w.agent.History()); a != b {
		t.Error("resumed, it is another history")
	}
	s.next = func() say { return say{text: "done"} }
	w.run("one more")
	w.look("after the resume")
}

// work gives 25 prompts of 8 turns; in the first twenty a fact is planted each.
func (w *worker) work() {
	pins := map[string]bool{}
	var todos []builtin.Todo
	for n := range 25 {
		prompt := fmt.Sprintf("request %d: go on with the work", n)
		var special *say
		fact := w.fact()
		switch kind := n % 5; {
		case n >= 20:
			fact = ""
		case n == 19:
			fact = "fmodex-edits" // told by every compaction, as the mode
		case kind == 0, kind == 1:
			prompt += "; from now on remember " + fact
		case kind == 2:
			todos = append(todos, builtin.Todo{Text: "see to " + fact, Status: "pending"})
			special = &say{tool: "todo", input: `{"items":` + jsonOf(todos) + `}`}
		case kind == 3:
			special = &say{tool: "write_file", input: fmt.Sprintf(`{"path":"src/%s.go","content":"package x\n"}`, fact)}
		default:
			special = &say{tool: "look", input: fmt.Sprintf(`{"say":%q}`, fact)}
		}
		turn, at := 0, 2
		pinned := n%5 == 4 && n < 19
		if pinned {
			at = 7 // it must still be there when the run is over and a person can pin it
		}
		w.server.mu.Lock()
		w.server.next = func() say {
			switch turn++; {
			case turn == at && special != nil:
				return *special
			case turn < 8:
				return say{tool: "look", input: fmt.Sprintf(`{"say":"r%d-%d"}`, n, turn)}
			}
			return say{text: fmt.Sprintf("That was %d.", n)}
		}
		w.server.mu.Unlock()
		w.run(prompt)
		if pinned {
			for _, it := range first(w.agent.Items()) {
				if it.Kind == compact.ItemResult && strings.Contains(resultOf(w.agent, it.ID), fact) {
					pins[it.ID] = true
				}
			}
			w.agent.SetPins(pins)
		}
		if fact != "" {
			w.facts = append(w.facts, fact)
		}
		w.look(fmt.Sprint("prompt ", n))
	}
}

func first[T any](items []T, _ int) []T { return items }

func resultOf(a *Agent, id string) string {
	for _, m := range a.History() {
		for _, b := range m.Blocks {
			if r, ok := b.(provider.ToolResult); ok && r.ID == id {
				return provider.Message{Blocks: r.Content}.PlainText()
			}
		}
	}
	return ""
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func (w *worker) run(prompt string) {
	w.t.Helper()
	err := w.agent.Run(w.t.Context(), Prompt{Text: prompt}, func(e Event) {
		switch e := e.(type) {
		case TurnStart:
			w.turns++
		case Compacted:
			if e.Err != nil {
				w.t.Errorf("compaction: %v", e.Err)
			} else if e.Summary != "" {
				w.cuts++
			}
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// look finds every fact in the request that went out last.
func (w *worker) look(when string) {
	w.t.Helper()
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	last := w.server.bodies[len(w.server.bodies)-1]
	for i, f := range w.facts {
		if f == "fmodex-edits" && w.cuts == 0 {
			continue
		}
		if !bytes.Contains(last, []byte(f)) {
			w.t.Fatalf("%s, %d compactions: fact %d (%s) is not in the request:\n%s", when, w.cuts, i, f, last)
		}
	}
}

// The request of each turn begins with the one before, byte for byte, on both
// wires: over tools, a compaction taken back, and a resume. Where something changes
// the cause is told, with its place and price.
func TestRequestsKeepTheirBeginning(t *testing.T) {
	for _, wire := range []string{"openai", "anthropic"} {
		t.Run(wire, func(t *testing.T) {
			s := newWireServer(t)
			s.compacts = func(int) (say, int, string) { return say{text: checkpoint("")}, 0, "" }
			dir := t.TempDir()
			sess, err := session.Create(t.TempDir(), dir, "")
			if err != nil {
				t.Fatal(err)
			}
			world := &world{file: strings.Repeat("text of the file ", 300)}
			p := s.wires()[wire]
			price := provider.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75, Known: true}
			model := provider.Model{ID: "m", Window: 200_000, Price: price}
			options := Options{Provider: p, Model: model, Exec: world.executor(t), System: strings.Repeat("You work with care. ", 400), Session: sess,
				Compact: compact.New(compact.Options{Provider: p, Model: model, Keep: 5000})}
			a := New(options)
			var missed []CacheMissed
			run := func(prompt string) {
				t.Helper()
				turn := 0
				s.mu.Lock()
				s.next = func() say {
					if turn++; turn < 4 {
						return say{tool: "read", input: fmt.Sprintf(`{"n":%d}`, turn)}
					}
					return say{text: "done"}
				}
				s.mu.Unlock()
				err := a.Run(t.Context(), Prompt{Text: prompt}, func(e Event) {
					if e, ok := e.(CacheMissed); ok {
						missed = append(missed, e)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			stable := func(from int) {
				t.Helper()
				for i := max(from, 1); i < len(s.bodies); i++ {
					prefix(t, wire, s.bodies[i-1], s.bodies[i])
				}
			}
			run("one")
			run("two")
			stable(0)
			if len(missed) > 0 {
				t.Fatalf("missed without a cause: %+v", missed)
			}
			if got := a.Totals().Usage; got.CacheRead*10 < got.Input*6 {
				t.Errorf("of %d tokens %d came from the cache", got.Input, got.CacheRead)
			}

			n := len(s.bodies)
			if err := a.Compact(t.Context(), "", nil); err != nil {
				t.Fatal(err)
			}
			run("three")
			head(t, s.bodies[n-1], s.bodies[n])
			stable(n + 1)
			told(t, missed, "the conversation was shortened", true)

			missed = nil
			if err := a.Uncompact(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			m := len(s.bodies)
			run("four")
			prefix(t, wire, s.bodies[n-1], s.bodies[m]) // back where it was, with what was said since
			stable(m + 1)

			// Resumed, it goes on with the same bytes.
			m = len(s.bodies)
			sess.Close()
			again, rs, err := session.Open(sess.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			options.Session, options.Provider = again, s.wires()[wire]
			a = New(options)
			a.Resume(again, rs)
			run("five")
			stable(m)

			// A tool that comes names itself, its place and what it cost.
			missed = nil
			if err := options.Exec.Tools.Set("late", []tools.Tool{tool{name: "a_late_one", kind: tools.Read}}, false); err != nil {
				t.Fatal(err)
			}
			run("six")
			got := told(t, missed, "the tool a_late_one came", false)
			if want := len("m") + len(options.System); got.At != want || !got.CostKnown || got.Cost < float64(got.Tokens)*2.6e-6 || a.Totals().Missed != got.Tokens {
				t.Errorf("told as %+v, want it at byte %d", got, want)
			}

			// So does another model.
			missed = nil
			model.ID = "m2"
			a.SetModel(options.Provider, model, provider.EffortDefault)
			run("seven")
			for _, e := range missed {
				if !e.Expected {
					t.Errorf("another model: %+v", e)
				}
			}
		})
	}
}

func told(t *testing.T, missed []CacheMissed, cause string, expected bool) CacheMissed {
	t.Helper()
	if len(missed) != 1 || missed[0].Cause != cause || missed[0].Expected != expected || missed[0].Tokens < missTokens {
		t.Fatalf("told %+v, want %q", missed, cause)
	}
	return missed[0]
}

// unmarked takes the cache marks out of a body: they move to the newest message and
// are no part of what is compared.
func unmarked(raw string) string {
	return strings.NewReplacer(`,"cache_control":{"type":"ephemeral"}`, "", `"cache_control":{"type":"ephemeral"},`, "").Replace(raw)
}

// head compares what comes before the messages.
func head(t *testing.T, was, is []byte) {
	t.Helper()
	for _, key := range []string{"model", "system", "tools"} {
		if a, b := unmarked(gjson.GetBytes(was, key).Raw), unmarked(gjson.GetBytes(is, key).Raw); a != b {
			t.Fatalf("%s changed at byte %d", key, same(a, b))
		}
	}
}

func prefix(t *testing.T, wire string, was, is []byte) {
	t.Helper()
	head(t, was, is)
	a, b := gjson.GetBytes(was, "messages").Array(), gjson.GetBytes(is, "messages").Array()
	if len(a) == 0 || len(b) < len(a) {
		t.Fatalf("%d messages, then %d", len(a), len(b))
	}
	for i := range a {
		was, is := unmarked(a[i].Raw), unmarked(b[i].Raw)
		// A message of the user may have more behind it, once it was sent.
		if was = strings.TrimRight(was, "]}"); !strings.HasPrefix(is, was) {
			t.Fatalf("message %d of %d changed at byte %d:\n%s\n%s", i, len(a), same(was, is), was, is)
		}
	}
	if wire == "anthropic" {
		marks := strings.Count(string(is), `"cache_control"`)
		if marks < 2 || marks > 4 || !strings.Contains(b[len(b)-1].Raw, "cache_control") || !strings.Contains(gjson.GetBytes(is, "system").Raw, "cache_control") {
			t.Fatalf("%d cache marks", marks)
		}
	}
}

// A conversation that fills up again and again asks once whether to go on, and
// ends where nobody can be asked.
func TestCompactionDoesNotLoop(t *testing.T) {
	for _, c := range []struct {
		name   string
		choice string
		asked  int
		want   error
	}{
		{"nobody there", "", 0, ErrNoRoom}, {"stop", "stop", 1, ErrNoRoom}, {"off", "off", 1, nil}, {"again", "again", 6, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, note := &model{}, &model{}
			long := strings.Repeat("some words ", 2600)
			for range 60 {
				r := ends(provider.StopToolUse, append([]provider.Event{provider.TextDelta{Text: long}}, uses(1, "silent")...)...)
				r.events[len(r.events)-1] = provider.Stop{Reason: provider.StopToolUse}
				m.replies = append(m.replies, r)
				note.replies = append(note.replies, noted("well"))
			}
			o := Options{Provider: m, Exec: (&world{}).executor(t), MaxTurns: -1, Compact: compact.New(compact.Options{Provider: note, Budget: 9000, Rest: 1})}
			asker := &answering{}
			if c.choice != "" {
				asker.choices = slices.Repeat([]string{c.choice}, 100)
				o.Asker = asker
			}
			a := New(o)
			err := a.Run(t.Context(), Prompt{Text: "go"}, func(Event) {})
			if fmt.Sprint(err) != fmt.Sprint(c.want) {
				t.Errorf("ended with %v", err)
			}
			if len(asker.asked) < min(c.asked, 1) || c.asked == 1 && len(asker.asked) != 1 {
				t.Errorf("asked %d times", len(asker.asked))
			}
			if n := len(note.requests); c.want != nil && n > 6 || c.choice == "off" && n > 3 {
				t.Errorf("%d compactions were paid for", n)
			}
			valid(t, a, m)
		})
	}
}

// What a compaction took away comes back, with what was said since, and stays taken
// back over a resume. It is not made again at once.
func TestUncompact(t *testing.T) {
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	m := &model{}
	w := &world{file: strings.Repeat("long ", 1500)}
	c := compact.New(compact.Options{Provider: m, Budget: 9000, Keep: 500})
	a := New(Options{Provider: m, Exec: w.executor(t), Session: s, Compact: c})
	if err := a.Uncompact(t.Context(), nil); err != ErrNotCompacted {
		t.Errorf("nothing to take back: %v", err)
	}
	unreported := func(r reply) reply {
		r.events[len(r.events)-1] = provider.Stop{Reason: r.events[len(r.events)-1].(provider.Stop).Reason}
		return r
	}
	for i := range 3 {
		m.replies = []reply{unreported(asks(`read {"n":1}`)), unreported(says(fmt.Sprint("answer ", i)))}
		if err := a.Run(t.Context(), Prompt{Text: fmt.Sprint("prompt ", i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	before := a.History()
	m.replies = []reply{noted("short")}
	if err := a.Compact(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	if len(a.History()) >= len(before) || a.history.shed.n == 0 {
		t.Fatal("nothing was shortened, or all of it is still in memory")
	}
	if asked := a.Asked(); len(asked) != 3 || asked[2].Text != "prompt 0" {
		t.Errorf("prompts that can be gone back to: %+v", asked)
	} else if rs, err := a.Before(asked[1]); err != nil || len(session.Messages(rs)) != 4 {
		t.Errorf("before the second prompt stand %d records, %v", len(rs), err)
	}
	var p tape
	a.Replay(p.sink)
	if got := p.String(); !strings.Contains(got, "user(prompt 0)") || !strings.Contains(got, "compacted") {
		t.Errorf("the replay tells\n%s", got)
	}
	m.replies = []reply{unreported(says("since"))}
	if err := a.Run(t.Context(), Prompt{Text: "more"}, nil); err != nil {
		t.Fatal(err)
	}
	var e Uncompacted
	if err := a.Uncompact(t.Context(), func(ev Event) { e, _ = ev.(Uncompacted) }); err != nil {
		t.Fatal(err)
	}
	h := a.History()
	if fmt.Sprint(h[:len(before)]) != fmt.Sprint(before) || len(h) != len(before)+2 || h[len(h)-1].PlainText() != "since" || e.After <= e.Before {
		t.Errorf("taken back: %d messages, before %d; %+v", len(h), len(before), e)
	}
	if err := session.Check(h); err != nil {
		t.Error(err)
	}
	requests := len(m.requests)
	m.replies = []reply{unreported(says("on"))}
	if err := a.Run(t.Context(), Prompt{Text: "on"}, nil); err != nil {
		t.Fatal(err)
	}
	if n := len(m.requests) - requests; n != 1 {
		t.Errorf("%d requests: it was shortened again at once", n)
	}
	h = a.History()
	s, rs := reopened(t, s)
	b := New(Options{Provider: m})
	b.Resume(s, rs)
	if fmt.Sprint(b.History()) != fmt.Sprint(h) {
		t.Error("resumed, it is another history")
	}
	if err := b.Uncompact(t.Context(), nil); err != ErrNotCompacted {
		t.Errorf("taken back twice: %v", err)
	}
}

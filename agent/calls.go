package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// parallel is how many reads of one turn run at a time.
const parallel = 8

// job is one call of a message on its way through the door.
type job struct {
	call   tools.Call
	why    string // the call must not run, because …; empty: it may
	inv    *tools.Invocation
	result tools.Result
	shown  session.Call
	looks  looks
	ahead  *tools.Ahead // of a call that changes files: those behind it
}

// calls does what a message asks for and answers all of it in one message. Calls
// go in source order, and each is prepared only after every earlier write and
// command has run, so that two edits of one file compose; neighbouring reads run
// together.
func (r *run) calls(ctx context.Context, m provider.Message) {
	jobs := r.jobs(m)
	if len(jobs) == 0 {
		return
	}
	var results []provider.ToolResult
	var shown []session.Call
	var edits series
	for rest := jobs; len(rest) > 0; {
		if r.halted != "" {
			for _, j := range rest {
				j.why = "the user's own commands ended the run: " + r.halted
			}
		}
		group := r.gather(ctx, rest)
		edits.join(r, group, rest)
		r.do(ctx, group)
		rest = rest[len(group):]
		for _, j := range group {
			results, shown = append(results, r.answer(j)), append(shown, j.shown)
		}
		if len(rest) > 0 { // the last of them come with their message
			r.aside.flush()
		}
	}
	r.history.results(results, shown)
	r.touch(jobs)
	r.aside.heard()
}

// jobs looks at the arguments before anything runs: what was cut off at the
// output limit looks like a call, and may even parse.
func (r *run) jobs(m provider.Message) []*job {
	var jobs []*job
	for i, b := range m.Blocks {
		u, ok := b.(provider.ToolUse)
		if !ok {
			continue
		}
		j := &job{call: tools.Call{ID: u.ID, Name: u.Name, Input: noArguments(u.Input)}, shown: session.Call{ID: u.ID}}
		cut := m.Stop == provider.StopMaxTokens && (i == len(m.Blocks)-1 || strings.TrimSpace(u.Input) == "")
		if j.why = wrongArguments(j.call.Input); cut {
			j.why = "your answer reached its output limit inside these arguments; send the call again, alone and in smaller pieces"
		}
		if j.why == "" && r.o.Exec != nil {
			j.call = r.o.Exec.Resolve(j.call)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// noArguments reads silence as the empty object: servers send nothing for it.
func noArguments(input string) string {
	if strings.TrimSpace(input) == "" {
		return "{}"
	}
	return input
}

func wrongArguments(input string) string {
	var object map[string]json.RawMessage
	err := json.Unmarshal([]byte(input), &object)
	switch {
	case err != nil && !json.Valid([]byte(input)):
		return "the arguments are not valid JSON (" + err.Error() + "); send the call again with one complete JSON object"
	case err != nil || object == nil:
		return "the arguments must be one JSON object with the parameters as its fields"
	}
	return ""
}

// gather prepares the next calls that may run together: at least one, and more
// only while all are reads, or all start agents. A call that ends the group is prepared
// anew when its turn comes, since the reads before it may be what it depends on.
func (r *run) gather(ctx context.Context, jobs []*job) []*job {
	for n, j := range jobs {
		r.prepare(ctx, j)
		if j.reads() && (n == 0 || jobs[0].reads()) || j.delegates() && jobs[0].delegates() {
			continue
		}
		if n == 0 {
			return jobs[:1]
		}
		j.inv = nil
		return jobs[:n]
	}
	return jobs
}

func (j *job) reads() bool {
	return j.inv != nil && (j.inv.Effect.Kind == tools.Read || j.inv.Effect.Kind == tools.Internal)
}

func (j *job) delegates() bool { return j.inv != nil && j.inv.Effect.Kind == tools.Delegate }

func (r *run) prepare(ctx context.Context, j *job) {
	switch {
	case ctx.Err() != nil:
		j.result = tools.Result{Text: Cancelled, IsError: true}
	case j.why != "":
		j.result = tools.Result{Text: "not run: " + j.why + tools.Arrived(j.call.Input), IsError: true}
	case r.o.Exec == nil:
		j.result = tools.Result{Text: "not run: there are no tools in this session", IsError: true}
	default:
		inv, err := r.o.Exec.Prepare(ctx, j.call)
		switch {
		case ctx.Err() != nil:
			j.result = tools.Result{Text: Cancelled, IsError: true}
		case err != nil:
			j.result = tools.Result{Text: err.Error(), IsError: true}
		default:
			j.inv = inv
		}
	}
}

// do runs a group. Reads share nothing and run side by side; calls that touch
// forge's own memory keep their order among themselves.
func (r *run) do(ctx context.Context, group []*job) {
	for _, j := range group {
		if j.inv != nil {
			r.emit(ToolStart{ID: j.call.ID, Name: j.call.Name, Input: j.call.Input, Effect: j.inv.Effect})
			j.shown = r.storedEffect(j.call.ID, j.inv.Effect)
		}
	}
	if len(group) == 1 {
		r.one(ctx, group[0])
		return
	}
	var units [][]*job
	internal := -1
	for _, j := range group {
		switch {
		case j.inv.Effect.Kind != tools.Internal:
			units = append(units, []*job{j})
		case internal < 0:
			internal = len(units)
			units = append(units, []*job{j})
		default:
			units[internal] = append(units[internal], j)
		}
	}
	var wg sync.WaitGroup
	most := parallel
	if group[0].delegates() { // who starts them holds them to a number of its own, and says that they wait
		most = len(units)
	}
	free := make(chan struct{}, most)
	for _, unit := range units {
		free <- struct{}{}
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil { // only a face that crashed while told of an end comes here
					slog.Error("call crashed", "panic", p, "stack", string(debug.Stack()))
				}
				<-free
			}()
			for _, j := range unit {
				r.one(ctx, j)
			}
		})
	}
	wg.Wait()
}

// answer is what the model is told of a call.
func (r *run) answer(j *job) provider.ToolResult { return j.told(warning(r.fails(j))) }

// told is the result of a call as the model gets it, with a note behind it.
func (j *job) told(note string) provider.ToolResult {
	text := clean(j.result.Text) + note
	res := provider.ToolResult{ID: j.call.ID, IsError: j.result.IsError}
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	res.Content = append(res.Content, provider.Text{Text: text})
	for _, img := range j.result.Images {
		res.Content = append(res.Content, checkImage(provider.Image(img)))
	}
	return res
}

package main

import (
	"time"

	"forge/agent/loop"
	"forge/agent/session"
	"forge/ui"
)

// loopName is the command that sends a prompt by the clock.
const loopName = "loop"

// openLoops joins the prompts that are sent by the clock to the conversation's record.
func (f *forge) openLoops() {
	f.loops.Keep = func(list []loop.Loop) error {
		if s := f.agent.Session(); s != nil {
			return s.Append(session.Record{Loops: f.loopRecord(list)})
		}
		return nil
	}
}

func (f *forge) loopRecord(list []loop.Loop) *session.Loops {
	out := &session.Loops{List: []session.Loop{}}
	for _, l := range list {
		out.List = append(out.List, session.Loop{N: l.N, Seconds: int(l.Every / time.Second), Prompt: f.kept(l.Prompt), Until: l.Until})
	}
	return out
}

// tookLoops is told of the conversation there is from now on.
func (f *forge) tookLoops(records []session.Record) {
	var list []loop.Loop
	for _, l := range session.LastLoops(records) {
		every := time.Duration(l.Seconds) * time.Second
		if every >= loop.Shortest && every <= loop.Longest && len(list) < loop.Most && l.Prompt != "" && len(l.Prompt) <= 2*loop.MaxBytes {
			list = append(list, loop.Loop{N: l.N, Every: every, Prompt: l.Prompt, Until: l.Until})
		}
	}
	said := ui.LoopsTook(f.loops.Took(list))
	if f.feed == nil { // nobody here can take them up
		return
	}
	for _, text := range said {
		f.feed.Notice(text)
	}
}

// loopsIn is what a copy of the conversation is to have of them.
func (f *forge) loopsIn() []session.Record {
	if list := f.loops.Kept(); len(list) > 0 {
		return []session.Record{{Time: time.Now().UTC(), Loops: f.loopRecord(list)}}
	}
	return nil
}

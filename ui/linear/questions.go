package linear

import (
	"forge/ui/lang"
	"time"
)

// quiet is how long a question must have stood before a line is taken for its answer:
// what was typed ahead is none.
const quiet = 400 * time.Millisecond

// question is what takes lines as its answers.
type question interface {
	lines() []string
	// answer takes a line; over ends the question, say is what to say then or before the
	// next try, stop ends the run as well.
	answer(line string) (over, stop bool, say []string)
	cancel()
	key() any
}

// put adds a question; it is put to the person when those before it were answered.
func (f *face) put(q question) {
	f.open = append(f.open, q)
	if len(f.open) == 1 {
		f.ask()
	}
}

func (f *face) ask() {
	if len(f.open) == 0 {
		return
	}
	f.tell.flush()
	for _, l := range f.open[0].lines() {
		f.say(l)
	}
	f.asked = time.Now()
}

func (f *face) withdraw(key any) {
	for i, q := range f.open {
		if q.key() == key {
			if a, ok := q.(*ask); ok {
				a.shut()
			}
			f.open = append(f.open[:i], f.open[i+1:]...)
			f.say(lang.T("the question is withdrawn"))
			if i == 0 {
				f.ask()
			}
			return
		}
	}
}

func (f *face) answer(line string) {
	q := f.open[0]
	if time.Since(f.asked) < quiet {
		f.say(lang.T("this line was begun before the question and is no answer; please answer again"))
		f.ask()
		return
	}
	if a, ok := q.(*ask); ok {
		a.halt = f.cancel
	}
	over, stop, say := q.answer(line)
	for _, l := range say {
		f.say(l)
	}
	if over {
		if a, ok := q.(*ask); ok {
			a.shut()
		}
		f.open = f.open[1:]
		f.ask()
	}
	if stop {
		f.halt()
	}
}

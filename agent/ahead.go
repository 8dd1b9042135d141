package agent

import (
	"context"
	"strings"
	"sync"

	"forge/tools"
)

// series follows the calls of one message that change files and come right behind each
// other, so that whoever is asked about one of them can be shown the others too.
type series struct {
	shelf *sync.Map
	nth   int
}

// join lets the guard of a call look at the calls behind it.
func (s *series) join(r *run, group, rest []*job) {
	first := group[0]
	switch {
	case len(group) > 1 || first.inv != nil && first.inv.Effect.Kind != tools.Write:
		s.nth = 0
		return
	case first.inv == nil: // it could not be prepared and changes nothing
		s.told(first)
		return
	}
	if s.shelf == nil {
		s.shelf = &sync.Map{}
	}
	first.ahead = &tools.Ahead{Nth: s.nth, Behind: r.behind(first, rest[len(group):]), Shelf: s.shelf}
	s.nth++
}

// told adds what a person said of a call that cannot be made any more.
func (s *series) told(j *job) {
	if s.shelf == nil {
		return
	}
	v, _ := s.shelf.LoadAndDelete(j.call.ID)
	if said, ok := v.(tools.Told); ok && said.Words() != "" {
		j.result.Text += "\n" + said.Words()
	}
}

// behind is what tools.Ahead.Behind calls.
func (r *run) behind(first *job, jobs []*job) func(context.Context, map[string][]tools.Change) []tools.Planned {
	return func(ctx context.Context, kept map[string][]tools.Change) (out []tools.Planned) {
		f := forecast{files: tools.Pending{}, touched: map[string]bool{}}
		f.take(first.inv.Effect.Changes, kept, first.call.ID)
		for _, j := range jobs {
			if ctx.Err() != nil {
				break
			}
			if j.why != "" { // it will not run
				continue
			}
			inv, err := r.o.Exec.Prepare(tools.WithPending(ctx, f.files), j.call)
			if err != nil { // it would change nothing, and the model is told when its turn comes
				out = append(out, tools.Planned{Call: j.call, Err: err})
				continue
			}
			e := inv.Effect
			if e.Kind != tools.Write || len(e.Changes) == 0 || !f.fits(e.Changes) {
				break
			}
			out = append(out, tools.Planned{Call: j.call, Effect: e})
			f.take(e.Changes, kept, j.call.ID)
		}
		return out
	}
}

// forecast is what the files would hold after calls that have not run.
type forecast struct {
	files   tools.Pending
	touched map[string]bool // all that was changed, moved or deleted
}

// fits reports whether changes begin where the forecast leaves the files. What goes or
// moves is known by its name alone: nothing that has to do with it is foreseen.
func (f forecast) fits(changes []tools.Change) bool {
	for _, c := range changes {
		for _, path := range []string{c.Path, c.From} {
			if path == "" || !f.near(path) {
				continue
			}
			now, known := f.files[path]
			gone := known && now == nil
			switch {
			case !known || c.Op == tools.Move || c.Thing != tools.Text:
				return false
			case gone != (c.Op == tools.Create):
				return false
			case !gone && string(now) != string(c.Before):
				return false
			}
		}
	}
	return true
}

// near reports whether something was done to a path, to what is in it or to a folder
// it is in.
func (f forecast) near(path string) bool {
	for t := range f.touched {
		if t == path || strings.HasPrefix(t, path+"/") || strings.HasPrefix(path, t+"/") {
			return true
		}
	}
	return false
}

// take has a call do what it proposes, or what was kept of that.
func (f forecast) take(changes []tools.Change, kept map[string][]tools.Change, id string) {
	if less, ok := kept[id]; ok && startsAs(less, changes) {
		changes = less
	}
	for _, c := range changes {
		f.touched[c.Path] = true
		if c.From != "" {
			f.touched[c.From] = true
		}
		switch {
		case c.Op == tools.Move || c.Thing != tools.Text:
			delete(f.files, c.Path)
		case c.Op == tools.Delete:
			f.files[c.Path] = nil
		default:
			f.files[c.Path] = append([]byte{}, c.After...)
		}
	}
}

// startsAs reports whether what was kept still is a part of what is proposed: it was
// cut from the same files as they are now.
func startsAs(kept, proposed []tools.Change) bool {
	for _, k := range kept {
		found := false
		for _, p := range proposed {
			found = found || k.Path == p.Path && k.Op == p.Op && string(k.Before) == string(p.Before)
		}
		if !found {
			return false
		}
	}
	return true
}

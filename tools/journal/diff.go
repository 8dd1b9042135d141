package journal

import (
	"fmt"
	"slices"
	"strings"

	"forge/tools/diff"
)

// maxShown is the most that is shown of one file's changes, in bytes.
const maxShown = 256 << 10

// Diff shows, as a unified diff, how the files that the conversation changed
// differ from what they were before it. What was taken back is not in it; the
// person's own edits of the same files are. Nothing changed: it is empty.
func (j *Journal) Diff() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := map[string]State{}
	var paths []string
	for _, s := range j.book.steps {
		for _, c := range s.Changes {
			path := string(c.Path)
			if _, ok := first[path]; !ok {
				first[path] = c.Before
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	var all []Change
	for _, p := range paths {
		t, rel := j.reach(p)
		if t == nil || private(rel) {
			continue
		}
		if was, now := first[p], t.readState(rel); !was.same(now) {
			all = append(all, Change{exact(p), was, now})
		}
	}
	var b strings.Builder
	moved := moves(all)
	for _, c := range all {
		switch other, ok := moved[c.Path]; {
		case !ok:
			b.WriteString(j.fileDiff(j.name(string(c.Path)), c.Before, c.After))
		case c.Before.Kind == KindNone:
			fmt.Fprintf(&b, "diff %s (moved from %s)\n", j.name(string(c.Path)), j.name(string(other)))
		}
	}
	return b.String()
}

// moves finds the files that have another path now and nothing else: the old path by
// the new one, and the other way round.
func moves(all []Change) map[exact]exact {
	moved := map[exact]exact{}
	for _, from := range all {
		if from.Before.Kind != KindFile || from.After.Kind != KindNone || from.Before.Size == 0 {
			continue
		}
		for _, to := range all {
			if _, taken := moved[to.Path]; !taken && to.Before.Kind == KindNone && to.After.same(from.Before) {
				moved[from.Path], moved[to.Path] = to.Path, from.Path
				break
			}
		}
	}
	return moved
}

func (j *Journal) fileDiff(name string, was, now State) string {
	var b strings.Builder
	what := ""
	switch {
	case was.Kind == KindNone:
		what = "new " + kindName(now.Kind)
	case now.Kind == KindNone:
		what = "deleted " + kindName(was.Kind)
	case was.Kind != now.Kind:
		what = kindName(was.Kind) + " became a " + kindName(now.Kind)
	case was.Mode != now.Mode:
		what = fmt.Sprintf("mode %04o → %04o", was.mode().Perm(), now.mode().Perm())
	}
	if what != "" {
		what = " (" + what + ")"
	}
	fmt.Fprintf(&b, "diff %s%s\n", name, what)
	if was.sameContent(now) {
		return b.String()
	}
	old, ok1 := j.shown(was)
	cur, ok2 := j.shown(now)
	if !ok1 || !ok2 {
		b.WriteString("(what it held is not kept)\n")
		return b.String()
	}
	text := ""
	for _, h := range diff.Hunks(old, cur) {
		text += h.String()
		if len(text) > maxShown {
			text = text[:strings.LastIndexByte(text[:maxShown], '\n')+1] + "(and more)\n"
			break
		}
	}
	b.WriteString(text)
	return b.String()
}

func kindName(k Kind) string {
	switch k {
	case KindDir:
		return "folder"
	case KindLink:
		return "link"
	}
	return "file"
}

// shown is a state's content as a diff has it; ok is false where it is not known.
func (j *Journal) shown(s State) (data []byte, ok bool) {
	if s.Kind == KindFile {
		data, err := j.content(s.Hash)
		if err != nil {
			return nil, false
		}
		return text(j, s, data), true
	}
	return text(j, s, nil), true
}

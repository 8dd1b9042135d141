package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/diff"
	"forge/ui/diffview"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// diffMax is how many rows of a diff a card shows while nothing is folded; /diff
// shows the rest.
const diffMax = 1000

// diffBody is what a call changed, compared off the loop.
type diffBody struct {
	files          []fileDiff
	added, removed int // lines
}

type fileDiff struct {
	path   string
	op     tools.Op
	hunks  []diff.Hunk
	syntax *diffview.Syntax
}

// diffReady brings the comparison of a call's changes.
type diffReady struct {
	call *call
	body *diffBody
}

// diffCmd compares what the call changed and lets go of the files themselves.
func (c *call) diffCmd() tea.Cmd {
	changes := c.changes
	c.changes, c.effect.Changes = nil, nil
	if len(changes) == 0 {
		return nil
	}
	c.comparing = true
	return func() tea.Msg {
		b := &diffBody{}
		for _, ch := range changes {
			hunks := diff.Hunks(ch.Before, ch.After)
			added, removed := diff.Stats(hunks)
			if ch.Thing == tools.Text { // of a folder, they are names
				b.added += added
				b.removed += removed
			}
			b.files = append(b.files, fileDiff{ch.Path, ch.Op, hunks, diffview.NewSyntax(ch.Path, ch.Before, ch.After, hunks)})
		}
		return diffReady{c, b}
	}
}

// compared takes a comparison.
func (c *call) compared(b *diffBody) {
	c.diff, c.comparing = b, false
	c.version++
}

// rows draws at most limit rows and says how many there are.
func (b *diffBody) rows(d *drawing, w, limit int) (rows []string, total int) {
	for _, f := range b.files {
		if len(b.files) > 1 {
			total++
			if len(rows) < limit {
				rows = append(rows, d.th.Muted.Apply(safe.Truncate(string(f.op)+" "+safe.Line(f.path), w, d.th.Glyphs.Ellipsis)))
			}
		}
		v := diffview.New(f.hunks, diffview.Options{Theme: d.th, Width: w, Split: true, Syntax: f.syntax})
		total += v.Len()
		if room := limit - len(rows); room > 0 {
			rows = append(rows, v.Rows(0, min(room, v.Len()))...)
		}
	}
	return rows, total
}

// counts is the size of the change: "+3 -1".
func (b *diffBody) counts() string { return lang.T("+%d −%d", b.added, b.removed) }

// diffText is one side of /diff, or why there is none.
type diffText struct {
	text string
	err  error
	none bool // it cannot be asked for here
}

// cmdDiff shows what changed: in the working tree against the last commit, or in
// this conversation. Tab goes from one to the other.
func (m *Model) cmdDiff(arg string) tea.Cmd {
	arg = strings.TrimSpace(arg)
	if arg != "" && !strings.HasPrefix("session", arg) && !strings.HasPrefix("tree", arg) {
		return m.say(lang.T("/diff shows the working tree, /diff session what this conversation changed"))
	}
	git, session := m.o.GitDiff, m.o.SessionDiff
	if git == nil && session == nil {
		return m.say(lang.T("there is no version control here to ask"))
	}
	want := arg != "" && strings.HasPrefix("session", arg)
	return m.goFor(lang.T("reading the changes"), nil, func(ctx context.Context) tea.Msg {
		d := diffMsg{want: want, tree: diffText{none: git == nil}, session: diffText{none: session == nil}}
		if git != nil {
			d.tree.text, d.tree.err = git(ctx)
		}
		if session != nil {
			d.session.text = session()
		}
		return d
	})
}

func completeDiff(_ *Model, prefix string) []string {
	return beginning([]string{"session", "tree"}, prefix)
}

// showDiff opens the changes over the transcript.
func (m *Model) showDiff(d diffMsg) tea.Cmd {
	session := d.want
	if !session && (d.tree.none || d.tree.err != nil && strings.TrimSpace(d.session.text) != "") {
		session = true // no version control: what forge changed is known all the same
	}
	switch {
	case !session && d.tree.err != nil && !d.session.none:
		return m.say(lang.T("this conversation has changed no file, and of the working tree: %s", oneLine(d.tree.err)))
	case !session && d.tree.err != nil:
		return m.show(failed{lang.T("read the changes"), d.tree.err})
	case session && strings.TrimSpace(d.session.text) == "" && (d.tree.none || d.tree.err != nil || strings.TrimSpace(d.tree.text) == ""):
		return m.say(lang.T("this conversation has changed no file"))
	case !session && strings.TrimSpace(d.tree.text) == "" && strings.TrimSpace(d.session.text) == "":
		return m.say(lang.T("nothing has changed in the working tree"))
	}
	m.pager = diffPager(d, session)
	return nil
}

// diffPager shows one side; the other is a key away.
func diffPager(d diffMsg, session bool) *pager {
	p := &pager{title: lang.T("Changes in the working tree")}
	side := d.tree
	if session {
		p.title, side = lang.T("Changes of this conversation"), d.session
	}
	p.text, p.file = side.text, "changes.patch"
	p.draw = func(th *theme.Theme, w int) []string {
		switch {
		case side.err != nil:
			return []string{th.Muted.Apply(safe.Truncate(safe.Line(lang.Said(side.err.Error())), w, th.Glyphs.Ellipsis))}
		case strings.TrimSpace(side.text) == "":
			return []string{th.Muted.Apply(lang.T("nothing"))}
		}
		return patchRows(side.text, th, w)
	}
	if !d.tree.none && !d.session.none {
		p.also = lang.T("tab this conversation")
		if session {
			p.also = lang.T("tab working tree")
		}
		p.other = func() *pager { return diffPager(d, !session) }
	}
	return p
}

// What a diff says beside names and lines: before a name, behind it, and by itself.
var (
	heads = []string{lang.N("diff %s (%s)"), lang.N("new file %s (%s)"), lang.N("new file %s")}
	notes = []string{lang.N("moved from %s"), lang.N("mode %s → %s"), lang.N("link to %s"), lang.N("new file"), lang.N("new folder"), lang.N("new link"),
		lang.N("deleted file"), lang.N("deleted folder"), lang.N("deleted link"), lang.N("file became a folder"), lang.N("file became a link"),
		lang.N("folder became a file"), lang.N("folder became a link"), lang.N("link became a file"), lang.N("link became a folder"), lang.N("binary"),
		lang.N("its beginning"), lang.N("not shown: there are too many"), lang.N("a repository of its own")}
	bodies = []string{lang.N("(what it held is not kept)"), lang.N("(and more)"), lang.N("+(binary, %s)"), lang.N("-(binary, %s)")}
)

// patchLine is a line of a diff in the person's language; what git wrote, and what
// stands in a file, stays as it is.
func patchLine(line string) string {
	if strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "new file mode ") {
		return line
	}
	say := func(text string, entries []string) string {
		if slices.Contains(entries, text) {
			return lang.T(text)
		}
		return lang.As(text, entries...)
	}
	if strings.HasSuffix(line, ")") && (strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "new file ")) {
		for at := range len(line) { // a name may have some of its own
			if !strings.HasPrefix(line[at:], " (") {
				continue
			}
			note := line[at+2 : len(line)-1]
			if said := say(note, notes); said != note {
				return lang.As(line[:at+2]+said+")", heads...)
			}
		}
	}
	if strings.HasPrefix(line, "new file ") {
		return lang.As(line, heads...)
	}
	return say(line, bodies)
}

// patchRows colours a unified diff line by line.
func patchRows(text string, th *theme.Theme, w int) []string {
	var rows []string
	for line := range strings.SplitSeq(strings.TrimRight(safe.Output(text), "\n"), "\n") {
		style := th.Text
		switch {
		case strings.HasPrefix(line, "new file mode "):
			style = th.Muted
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "new file "):
			style = th.Title
			if len(rows) > 0 {
				rows = append(rows, "")
			}
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "index "):
			style = th.Muted
		case strings.HasPrefix(line, "@@"):
			style = th.Hunk
		case strings.HasPrefix(line, "+"):
			style = th.Add
		case strings.HasPrefix(line, "-"):
			style = th.Del
		}
		for _, r := range safe.Chop(patchLine(line), w) {
			rows = append(rows, style.Apply(r))
		}
	}
	return rows
}

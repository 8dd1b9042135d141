package permission

import (
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// analyse judges a command line. It parses once, with one parser; what it cannot
// vouch for is a question, and what it cannot read is HIGH and cannot be granted.
// Danger is looked for in everything, whatever the other steps found.
func analyse(line string, w world) Analysis {
	w = w.filled()
	a := Analysis{}
	if why := suspect(line); why != "" {
		a.risk(High, why)
		if len(line) > 10*maxLine { // enough to see what it is about; it is asked about in any case
			line = line[:5*maxLine] + "\n" + line[len(line)-5*maxLine:]
		}
		for i, l := range readings(line) {
			s := newScan(w)
			if s.read(l); i > 0 { // one reading is enough to show, all are judged
				s.a.inner, s.a.Parsed = append(s.a.inner, s.a.Parsed...), nil
			}
			a.merge(s.a)
		}
		a.hidden(why)
		return a.done()
	}
	s := newScan(w)
	s.read(line)
	a.merge(s.a)
	if s.commands > maxCommands {
		a.risk(High, "holds more than 50 commands")
		s.odd()
	}
	if padding(line) {
		a.risk(High, "holds a long run that pushes the rest out of sight")
		a.hidden("holds a long run that pushes the rest out of sight")
		s.odd()
	}
	a.ReadOnly = s.ro && len(a.Parsed) > 0 && a.Level == Low && len(a.Risks) == 0
	if !s.ungrantable && a.Level < High {
		a.Shapes = s.shapes
	}
	return a.done()
}

func (a *Analysis) merge(b *Analysis) {
	for _, r := range b.Risks {
		a.risk(r.Level, r.Reason)
	}
	for _, argv := range b.Parsed {
		if !slices.ContainsFunc(a.Parsed, func(o []string) bool { return slices.Equal(o, argv) }) {
			a.Parsed = append(a.Parsed, argv)
		}
	}
	a.inner = append(a.inner, b.inner...)
	a.Parts = append(a.Parts, b.Parts...)
	for _, f := range b.Files {
		if !slices.Contains(a.Files, f) {
			a.Files = append(a.Files, f)
		}
	}
}

// hidden: danger that is kept from the eye is the worst there is.
func (a *Analysis) hidden(why string) {
	if slices.ContainsFunc(a.Risks, func(r Risk) bool { return r.Level >= High && r.Reason != why }) {
		a.risk(Critical, "hides something dangerous from who reads it")
	}
}

// done sorts the reasons, worst first.
func (a Analysis) done() Analysis {
	sort.SliceStable(a.Risks, func(i, j int) bool { return a.Risks[i].Level > a.Risks[j].Level })
	return a
}

// scan is one reading of one line.
type scan struct {
	w    world
	a    *Analysis
	cwds []string          // the directories the next command may run in; never empty
	vars map[string]string // what variables are known to hold
	loop map[string]word   // what the variables of loops hold in this pass through the body
	// quiet are the substitutions of which every command would run unasked, and mild
	// says that one was met.
	quiet  map[*syntax.CmdSubst]bool
	mild   bool
	subst  int  // how many substitutions the walk is in
	passes int  // through bodies of loops
	ro     bool // nothing so far needs a question

	ungrantable bool
	shapes      []string
	obeyed      []string // files the command at hand obeys
	commands    int
	depth       int    // of code inside words inside code
	text        string // what is read

	stage   *feed    // what the running stage of a pipeline puts out
	decodes bool     // something is decoded
	outside bool     // something outside the workspace is looked at
	remotes []string // other repositories that the line itself names
	cloned  []string // folders that came from the network
	fetched []string // files that came from the network
	net     bool     // something is fetched
	send    bool     // something can leave the machine
	secret  bool     // a secret is read
	socket  bool     // a connection is opened that both sides may speak on
	shelled bool     // an interpreter runs what it is fed
}

func newScan(w world) *scan {
	return &scan{w: w, a: &Analysis{}, cwds: []string{w.dir}, vars: map[string]string{}, loop: map[string]word{}, quiet: map[*syntax.CmdSubst]bool{}, ro: true, stage: &feed{}}
}

func (s *scan) risk(l Level, reason string) {
	s.a.risk(l, reason)
	s.ro = false
}

// odd marks the line as one that is always asked about and never granted.
func (s *scan) odd() { s.ro, s.ungrantable = false, true }

// read parses text and walks it. It is also used for code inside words.
func (s *scan) read(text string) {
	if s.depth > 8 {
		s.odd()
		s.risk(High, "is code within code, nine deep")
		return
	}
	outer := s.text
	s.depth, s.text = s.depth+1, text
	defer func() { s.depth, s.text = s.depth-1, outer }()
	f, err := parse(text)
	if err != nil {
		s.odd()
		s.risk(High, "cannot be read as a shell command")
		for _, piece := range pieces(text) {
			if f, err := parse(piece); err == nil {
				s.stmts(f.Stmts, s.cwds)
			}
		}
	} else {
		s.stmts(f.Stmts, s.cwds)
	}
	if s.depth == 1 {
		s.whole()
	}
}

// whole looks at what only the line as a whole shows.
func (s *scan) whole() {
	if s.secret && s.send {
		s.risk(Critical, "can send a secret away")
	}
	if s.socket && s.shelled {
		s.risk(Critical, "ties a shell to a network connection")
	}
}

func parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// pieces cuts a text that does not parse where commands may begin.
func pieces(text string) []string {
	out := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;|&(){}`", r) })
	if len(out) > 200 {
		out = append(out[:100], out[len(out)-100:]...)
	}
	return out
}

package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

var (
	awkRuns   = lazy.Regexp{Expr: `system\s*\(|\||getline|@\w|@load|@include|/inet/|ENVIRON|extension\(`}
	awkWrites = lazy.Regexp{Expr: `print[^{};]*>|-i\s*inplace|close\(`}
	sedRuns   = lazy.Regexp{Expr: `(^|[;{}\n\d/$!,])\s*e(\s|$)|/[gpiImM0-9]*e[gpiImM0-9]*\s*($|[;}\n])|\be\s+\S`}
	sedWrites = lazy.Regexp{Expr: `(^|[;{}\n\d/$!,])\s*[wW]\s*\S|/[gpiImMe0-9]*w\s*\S`}
)

func (c *command) awk() {
	s := c.s
	s.ungrantable = true
	joined := strings.Join(texts(c.args), "\n")
	s.risk(Medium, "runs an awk program forge does not vouch for")
	if c.has("-f", "--file", "-i", "--include", "-l", "--load", "-E", "--exec") {
		s.risk(Medium, "runs a program from a file")
		if c.has("-l", "--load") {
			s.risk(High, "loads code")
		}
	}
	if awkRuns.Get().MatchString(joined) {
		s.risk(High, "has awk run commands or read the environment")
		for _, m := range quoted.Get().FindAllStringSubmatch(joined, 50) {
			s.maybeCode(m[1])
		}
	}
	if awkWrites.Get().MatchString(joined) {
		s.risk(Medium, "writes files")
		for _, m := range quoted.Get().FindAllStringSubmatch(joined, 50) {
			if strings.ContainsAny(m[1], "/.") && !strings.ContainsAny(m[1], " %") {
				s.writes(literal(m[1]))
			}
		}
	}
	for i, w := range c.operands() {
		if i > 0 {
			s.reads(w)
		}
	}
}

func (c *command) sed() {
	s := c.s
	inPlace := c.has("-i", "--in-place") || slices.ContainsFunc(c.args, func(w word) bool {
		return strings.HasPrefix(w.text, "-i") || strings.HasPrefix(w.text, "-I") || len(w.text) > 3 && strings.HasPrefix("--in-place", strings.SplitN(w.text, "=", 2)[0])
	})
	ops := c.operands()
	scripts := c.values("-e", "--expression")
	if len(scripts) == 0 && !c.has("-f", "--file") && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	for _, w := range c.args {
		if strings.HasPrefix(w.text, "-e") && len(w.text) > 2 {
			scripts = append(scripts, w.after(2))
		}
	}
	if c.has("-f", "--file") {
		s.ungrantable = true
		s.risk(High, "runs a sed script from a file, which can run commands")
	}
	for _, w := range scripts {
		runs, writes := sedFlags(w.text)
		if writes {
			s.risk(Medium, "has sed write files")
		}
		if (runs || sedRuns.Get().MatchString(w.text)) && !sedPrints(w.text) {
			s.ungrantable = true
			s.risk(High, "has sed run commands")
		}
		if sedWrites.Get().MatchString(w.text) && !sedPrints(w.text) {
			s.risk(Medium, "has sed write files")
			if i := strings.LastIndexAny(w.text, "wW"); i >= 0 && i+1 < len(w.text) {
				s.writes(literal(strings.TrimSpace(w.text[i+1:])))
			}
		}
	}
	s.risk(Medium, "has a script or a flag forge does not vouch for")
	for _, w := range ops {
		if inPlace {
			s.risk(Medium, "changes files in place")
			s.writes(w)
		}
		s.reads(w)
	}
}

func (c *command) editor() {
	s := c.s
	s.ungrantable = true
	s.risk(Medium, "waits for a person")
	for _, a := range c.args {
		t := a.text
		if strings.HasPrefix(t, "+") || slices.Contains([]string{"-c", "--cmd", "-S", "-s", "-es", "-Es", "-u", "--eval", "-eval", "-l", "--load", "-f", "-batch", "--batch", "--script", "-e", "-w", "-W"}, t) {
			s.risk(High, "has an editor run commands")
		}
		if _, code, ok := strings.Cut(t, "!"); ok {
			s.maybeCode(code)
		}
	}
	if c.feed.piped {
		s.risk(High, "has an editor run commands")
	}
	for _, w := range c.operands() {
		s.reads(w)
	}
}

var sedSubst = lazy.Regexp{Expr: `(?:^|[;{}\n\d/$!,\s])s[^\w\s;{}\\]`}

// sedFlags finds the flags e and w of substitutions, whatever stands between their
// parts.
func sedFlags(script string) (runs, writes bool) {
	for {
		loc := sedSubst.Get().FindStringIndex(script)
		if loc == nil {
			return runs, writes
		}
		rest, ok := sedParts(script[loc[1]-1:])
		if !ok {
			script = script[loc[1]:]
			continue
		}
		flags, _, _ := strings.Cut(rest, "\n")
		flags, _, _ = strings.Cut(flags, ";")
		flags, file, w := strings.Cut(flags, "w")
		writes = writes || w && strings.TrimSpace(file) != ""
		runs = runs || strings.Contains(strings.TrimRight(flags, " \t}"), "e")
		script = rest
	}
}

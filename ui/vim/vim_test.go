package vim

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// written is a text being written, as a writer has it.
type written struct {
	v    Vim
	text string
	cur  int
	kept string
}

func runes(s string, i int) int { _, n := utf8.DecodeRuneInString(s[i:]); return i + n }

func kinds(s string) int {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case r == ' ' || r == '\t':
		return 0
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
		return 1
	}
	return 2
}

// at is a text in normal mode, with | where the cursor stands.
func at(text string) *written {
	before, after, _ := strings.Cut(text, "|")
	w := &written{text: before + after, cur: len(before)}
	w.v.mode = Normal
	w.cur = w.v.Settle(w.as())
	return w
}

func (w *written) as() Text { return Text{w.text, w.cur, runes, kinds, w.kept} }

// press takes keys as they are typed, with <Esc> for that one.
func (w *written) press(keys string) {
	for keys != "" {
		k := keys[:runes(keys, 0)]
		if strings.HasPrefix(keys, "<Esc>") {
			k = "<Esc>"
		}
		keys = keys[len(k):]
		if k == "<Esc>" {
			k = "esc"
		}
		d := w.v.Key(k, w.as())
		switch {
		case d.Handled:
		case w.v.Mode() == Insert && k != "esc":
			w.text = w.text[:w.cur] + k + w.text[w.cur:]
			w.cur += len(k)
			continue
		}
		w.text, w.cur = d.Text, d.Cur
		if d.Cut != "" {
			w.kept = d.Cut
		}
		for range max(d.Rows, -d.Rows) { // rows are the lines here
			b := &buffer{Text: w.as()}
			if to, ok := b.down(w.cur, d.Rows/max(d.Rows, -d.Rows)); ok {
				b.Cur = to
				b.clamp()
				w.cur = b.Cur
			}
		}
	}
}

func (w *written) String() string { return w.text[:w.cur] + "|" + w.text[w.cur:] }

// What vi makes of its keys.
func TestKeys(t *testing.T) {
	for _, c := range []struct{ name, text, keys, want string }{
		{"h", "abc de|f", "h", "abc d|ef"},
		{"h at the start", "|abc", "h", "|abc"},
		{"l", "a|bc", "l", "ab|c"},
		{"l at the end", "ab|c", "l", "ab|c"},
		{"count", "|abcdef", "3l", "abc|def"},
		{"w", "o|ne two", "w", "one |two"},
		{"w over signs", "|foo(bar)", "ww", "foo(|bar)"},
		{"W", "|foo(bar) baz", "W", "foo(bar) |baz"},
		{"w over lines", "on|e\n\ntwo", "w", "one\n|\ntwo"},
		{"w to the end", "on|e", "w", "on|e"},
		{"b", "one tw|o", "b", "one |two"},
		{"b b", "one two th|ree", "2b", "one |two three"},
		{"B", "a.b c.|d", "B", "a.b |c.d"},
		{"e", "o|ne two", "e", "on|e two"},
		{"e again", "on|e two", "e", "one tw|o"},
		{"E", "|a.b c.d", "E", "a.|b c.d"},
		{"ge", "one t|wo", "ge", "on|e two"},
		{"0", "  on|e", "0", "|  one"},
		{"^", "  on|e", "^", "  |one"},
		{"$", "o|ne two", "$", "one tw|o"},
		{"gg", "one\ntwo\nth|ree", "gg", "|one\ntwo\nthree"},
		{"G", "o|ne\ntwo\n  three", "G", "one\ntwo\n  |three"},
		{"2G", "o|ne\ntwo\nthree", "2G", "one\n|two\nthree"},
		{"f", "|one, two, three", "f,", "one|, two, three"},
		{"2f", "|one, two, three", "2f,", "one, two|, three"},
		{"t", "|one, two", "t,", "on|e, two"},
		{"F", "one, two|", "Fo", "|one, two"},
		{"T", "one, two|", "To", "o|ne, two"},
		{";", "|a,b,c,d", "f,;", "a,b|,c,d"},
		{",", "|a,b,c,d", "2f,,", "a|,b,c,d"},
		{"; after t", "|a,b,c,d", "t,;", "a,|b,c,d"},
		{"f finds nothing", "|abc", "fz", "|abc"},
		{"%", "f|(a(b)c)", "%", "f(a(b)c|)"},
		{"% from before", "|f(a)", "%", "f(a|)"},
		{"% back", "f(a|)", "%", "f|(a)"},
		{"}", "o|ne\ntwo\n\nthree", "}", "one\ntwo\n|\nthree"},
		{"{", "one\n\ntwo\nth|ree", "{", "one\n|\ntwo\nthree"},
		{">>", "on|e\ntwo", ">>", "  |one\ntwo"},
		{"<<", "    on|e", "<<", "  |one"},
		{"<< at the edge", " on|e", "<<", "|one"},
		{"<< takes a tab", "\ton|e", "<<", "|one"},
		{"3>>", "o|ne\n\ntwo\nthree", "3>>", "  |one\n\n  two\nthree"},
		{">>.", "on|e", ">>.", "    |one"},
		{">j", "o|ne\ntwo\nthree", ">j", "  |one\n  two\nthree"},
		{">ip", "o|ne\ntwo\n\nthree", ">ip", "  |one\n  two\n\nthree"},
		{"< in visual", "  o|ne\n    two", "Vj<", "|one\n  two"},
		{"2> in visual", "o|ne two", "vl2>", "    |one two"},
		{"> keeps the register", "|one two", "yw>>P", "  one| one two"},
		{"x", "a|bc", "x", "a|c"},
		{"3x", "a|bcdef", "3x", "a|ef"},
		{"x at the end", "ab|c", "x", "a|b"},
		{"X", "ab|c", "X", "a|c"},
		{"D", "one| two", "D", "on|e"},
		{"C", "one| two", "CX<Esc>", "one|X"},
		{"s", "a|bc", "sX<Esc>", "a|Xc"},
		{"2s", "a|bcd", "2sX<Esc>", "a|Xd"},
		{"S", "o|ne\ntwo", "SX<Esc>", "|X\ntwo"},
		{"r", "a|bc", "rX", "a|Xc"},
		{"3r", "a|bcde", "3rX", "aXX|Xe"},
		{"r too many", "ab|c", "3rX", "ab|c"},
		{"~", "a|bC", "2~", "aB|c"},
		{"J", "o|ne\n  two", "J", "one| two"},
		{"3J", "o|ne\ntwo\nthree\nfour", "3J", "one two| three\nfour"},
		{"J before a bracket", "f(a|\n)", "J", "f(a|)"},
		{"dw", "one t|wo three", "dw", "one t|three"},
		{"dw from the begin", "|one two", "dw", "|two"},
		{"dw last of a line", "one t|wo\nthree", "dw", "one |t\nthree"},
		{"2dw", "|one two three", "2dw", "|three"},
		{"d2w", "|one two three", "d2w", "|three"},
		{"2d2w", "|a b c d e f", "2d2w", "|e f"},
		{"de", "|one two", "de", "| two"},
		{"db", "one two|", "db", "one |o"},
		{"d0", "one |two", "d0", "|two"},
		{"d^", "  one |two", "d^", "  |two"},
		{"d$", "one |two", "d$", "one| "},
		{"dd", "one\nt|wo\nthree", "dd", "one\n|three"},
		{"dd the last", "one\nt|wo", "dd", "|one"},
		{"dd the only", "o|ne", "dd", "|"},
		{"2dd", "|one\ntwo\nthree", "2dd", "|three"},
		{"dj", "|one\ntwo\nthree", "dj", "|three"},
		{"dk", "one\nt|wo\nthree", "dk", "|three"},
		{"dgg", "one\nt|wo\nthree", "dgg", "|three"},
		{"dG", "one\nt|wo\nthree", "dG", "|one"},
		{"df", "|one, two", "df,", "| two"},
		{"dt", "|one, two", "dt,", "|, two"},
		{"d;", "|a,b,c", "f,d;", "a|c"},
		{"dF", "one, tw|o", "dFo", "|o"},
		{"d%", "f|(a(b)) c", "d%", "f| c"},
		{"d}", "o|ne\ntwo\n\nthree", "d}", "|o\n\nthree"},
		{"cw", "o|ne two", "cwX<Esc>", "o|X two"},
		{"cw leaves the blank", "|one two", "cwX<Esc>", "|X two"},
		{"2cw", "|one two three", "2cwX<Esc>", "|X three"},
		{"cw of one letter", "|a b", "cwX<Esc>", "|X b"},
		{"cc", "one\nt|wo", "ccX<Esc>", "one\n|X"},
		{"c$", "one |two", "c$X<Esc>", "one |X"},
		{"cb", "one tw|o", "cbX<Esc>", "one |Xo"},
		{"yy p", "o|ne\ntwo", "yyp", "one\n|one\ntwo"},
		{"yy P", "one\nt|wo", "yyP", "one\n|two\ntwo"},
		{"yw P", "|one two", "ywP", "one| one two"},
		{"yw p", "|one two", "ywp", "oone| ne two"},
		{"yw 2p", "|ab cd", "yw2p", "aab ab| b cd"},
		{"dd p", "o|ne\ntwo", "ddp", "two\n|one"},
		{"2yy p", "|one\ntwo\nthree", "2yyjp", "one\ntwo\n|one\ntwo\nthree"},
		{"x p", "|ab", "xp", "b|a"},
		{"y stays", "one tw|o", "yb", "one |two"},
		{"Y p", "o|ne", "Yp", "one\n|one"},
		{"diw", "one t|wo three", "diw", "one | three"},
		{"daw", "one t|wo three", "daw", "one |three"},
		{"daw the last", "one two thr|ee", "daw", "one tw|o"},
		{"diw of a blank", "one|  two", "diw", "one|two"},
		{"ciw", "one t|wo three", "ciwX<Esc>", "one |X three"},
		{"diW", "a.|b c", "diW", "| c"},
		{`di"`, `say "he|llo" now`, `di"`, `say "|" now`},
		{`da"`, `say "he|llo" now`, `da"`, "say |now"},
		{`di" from before`, `s|ay "hello" now`, `di"`, `say "|" now`},
		{"ci'", "a 'b|c' d", "ci'X<Esc>", "a '|X' d"},
		{"di`", "a `b|c` d", "di`", "a `|` d"},
		{`di" with a quoted quote`, `"a\"|b" c`, `di"`, `"|" c`},
		{"di(", "f(a, |b) c", "di(", "f(|) c"},
		{"da(", "f(a, |b) c", "da(", "f| c"},
		{"dib", "f(g(x), |b)", "dib", "f(|)"},
		{"di( nested", "f(g(|x), b)", "di(", "f(g(|), b)"},
		{"2di(", "f(g(|x), b)", "2di(", "f(|)"},
		{"di[", "a[|1]", "di[", "a[|]"},
		{"di{ over lines", "f {\n  o|ne\n  two\n}", "di{", "f {\n|}"},
		{"ci{", "f {\n  o|ne\n}", "ci{X<Esc>", "f {\n|X\n}"},
		{"di(of none", "a|bc", "di(", "a|bc"},
		{"dip", "one\nt|wo\n\nthree", "dip", "|\nthree"},
		{"dap", "one\nt|wo\n\nthree", "dap", "|three"},
		{"da<", "a <b|c> d", "da<", "a | d"},
		{"i", "a|b", "iX<Esc>", "a|Xb"},
		{"3i", "a|b", "3iX<Esc>", "aXX|Xb"},
		{"a", "a|b", "aX<Esc>", "ab|X"},
		{"I", "  a|b", "IX<Esc>", "  |Xab"},
		{"A", "a|b c", "AX<Esc>", "ab c|X"},
		{"o", "o|ne\ntwo", "oX<Esc>", "one\n|X\ntwo"},
		{"O", "one\nt|wo", "OX<Esc>", "one\n|X\ntwo"},
		{"2o", "o|ne", "2oX<Esc>", "one\nX\n|X"},
		{". of x", "|abcdef", "x.", "|cdef"},
		{". of dw", "|one two three", "dw.", "|three"},
		{". of cw", "|one two", "cwX<Esc>w.", "X |X"},
		{". of i", "a|b", "iX<Esc>.", "a|XXb"},
		{". of o", "|one", "oX<Esc>.", "one\nX\n|X"},
		{". with a count", "|abcdef", "x3.", "|ef"},
		{". of dd", "|a\nb\nc", "dd.", "|c"},
		{". of r", "|abc", "rXl.", "X|Xc"},
		{". of f", "|a,b,c,d", "df,.", "|c,d"},
		{". of A", "|a\nb", "AX<Esc>j.", "aX\nb|X"},
		{". of ciw", "|one two", "ciwX<Esc>w.", "X |X"},
		{"v d", "a|bcd", "vld", "a|d"},
		{"v w d", "|one two", "vwd", "|wo"},
		{"v back", "abc|d", "vhhd", "|a"},
		{"v c", "a|bcd", "vlcX<Esc>", "a|Xd"},
		{"v y p", "|ab cd", "veyP", "a|bab cd"},
		{"v iw d", "one t|wo three", "viwd", "one | three"},
		{"v i( d", "f(|a, b)", "vi(d", "f(|)"},
		{"v o", "abc|def", "vlohd", "ab|f"},
		{"v r", "a|bcd", "vlrX", "a|XXd"},
		{"v ~", "a|bcd", "vl~", "a|BCd"},
		{"v U", "|abcd", "veU", "|ABCD"},
		{"v J", "|a\nb\nc", "vjjJ", "a b| c"},
		{"v p", "|ab cd", "yewviwp", "ab a|b"},
		{"V d", "a\n|b\nc", "Vd", "a\n|c"},
		{"V j d", "|a\nb\nc", "Vjd", "|c"},
		{"V c", "a\n|b\nc", "VcX<Esc>", "a\n|X\nc"},
		{"V y p", "|a\nb", "Vyjp", "a\nb\n|a"},
		{"V p", "|a\nb", "yyjVp", "a\n|a"},
		{"v G d", "a|b\ncd\nef", "vGd", "a|f"},
		{"v esc", "a|bc", "v<Esc>x", "a|c"},
		{"d esc", "a|bc", "d<Esc>x", "a|c"},
		{"Chinese x", "你|好吗", "x", "你|吗"},
		{"Chinese ~ over", "|你好", "~", "你|好"},
		{"Chinese r", "|你好", "r他", "|他好"},
		{"Chinese f", "|你好吗", "f吗", "你好|吗"},
		{"Chinese dd p", "|你好\n世界", "ddp", "世界\n|你好"},
		{"Chinese dt", "|你好，世界", "dt，", "|，世界"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := at(c.text)
			w.press(c.keys)
			if w.v.Mode() != Normal {
				w.press("<Esc>")
			}
			if got := w.String(); got != c.want {
				t.Errorf("%q, %s: %q, want %q", c.text, c.keys, got, c.want)
			}
		})
	}
}

package highlight

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"forge/ui/safe"
	"forge/ui/theme"
)

// In each language a comment, a string and a word of the language's own are known, and
// what only looks like one is not.
func TestLanguages(t *testing.T) {
	c := &theme.New(true, colorprofile.TrueColor).Code
	looks := map[string]string{"k": c.Keyword.Open, "t": c.Type.Open, "f": c.Func.Open, "s": c.String.Open, "n": c.Number.Open, "c": c.Comment.Open, "m": c.Meta.Open, "-": c.Text.Open}
	seen := map[*Language]bool{}
	for _, tc := range []struct {
		names, src string
		want       string // looks and what has them; a blank piece is the next line
	}{
		{"go golang", "func f(s string) { return \"a\" } // c", "k:func f:f t:string s:\"a\" c:// c"},
		{"c cpp c++ h objc cuda", "static int f(void) { return 'x'; } /* c */", "k:static t:int f:f s:'x' c:/* c */"},
		{"rust rs", "pub fn f<'a>(x: u8) -> Self { \"a\" } // c", "k:pub k:fn t:u8 t:Self s:\"a\" c:// c"},
		{"js ts tsx javascript typescript", "const f = async () => `a`; // c", "k:const k:async s:`a` c:// c"},
		{"java", "private final int x = f(\"a\"); // c", "k:private k:final t:int f:f s:\"a\" c:// c"},
		{"kotlin kt", "suspend fun f(x: Int) = \"a\" // c", "k:suspend k:fun f:f t:Int s:\"a\" c:// c"},
		{"swift", "guard let x: Int = f(\"a\") else { nil } // c", "k:guard k:let t:Int f:f s:\"a\" n:nil c:// c"},
		{"csharp cs c#", "public async Task F() => \"a\"; // c", "k:public k:async t:Task f:F s:\"a\" c:// c"},
		{"scala", "given x: Option = None // c", "k:given t:Option n:None c:// c"},
		{"dart", "late final String x = 'a'; // c", "k:late k:final t:String s:'a' c:// c"},
		{"php", "public function f(string $x) { echo 'a'; } # c", "k:public k:function f:f t:string t:$x k:echo s:'a' c:# c"},
		{"zig", "pub fn f() !void { const x = \"a\"; } // c", "k:pub k:fn f:f t:void k:const s:\"a\" c:// c"},
		{"solidity sol", "contract C { mapping(address => uint256) x; } // c", "k:contract t:address t:uint256 c:// c"},
		{"proto protobuf", "optional string x = 1; // c", "k:optional t:string n:1 c:// c"},
		{"graphql", "query Q($x: ID) { f } # c", "k:query t:$x t:ID c:# c"},
		{"verilog sv", "always @(posedge clk) begin wire x; end // c", "k:always k:posedge k:begin t:wire c:// c"},
		{"python py", "def f(x: int): return 'a'  # c", "k:def f:f t:int k:return s:'a' c:# c"},
		{"ruby rb", "def f; unless x; 'a'; end # c", "k:def k:unless s:'a' k:end c:# c"},
		{"bash sh zsh fish", "if grep -q 'a' $x; then # c", "k:if t:grep s:'a' t:$x k:then c:# c"},
		{"perl", "my $x = shift; # c", "k:my t:$x k:shift c:# c"},
		{"powershell ps1", "<# over\nlines #> Foreach ($x in Get-ChildItem \"a\") # c", "c:<# over | c:lines #> k:Foreach t:$x k:Get-ChildItem s:\"a\" c:# c"},
		{"r", "f <- function(x) TRUE # c", "k:function n:TRUE c:# c"},
		{"julia jl", "#= over\nlines =# mutable struct X end # c", "c:#= over | c:lines =# k:mutable k:struct c:# c"},
		{"nim", "#[ over\nlines ]# proc f(x: int): string = \"a\" # c", "c:#[ over | c:lines ]# k:proc f:f t:int t:string s:\"a\" c:# c"},
		{"erlang erl", "case f(X) of 'a' -> ok end. % c", "k:case f:f k:of s:'a' n:ok c:% c"},
		{"ocaml ml", "let rec f x = match x with None -> \"a\" (* c *)", "k:let k:rec k:match n:None s:\"a\" c:(* c *)"},
		{"fsharp fs", "member x.F = Some \"a\" // c", "k:member n:Some s:\"a\" c:// c"},
		{"lisp clojure clj elisp scheme", "(defn f-x [a] (when-not a \"two\nlines\" nil)) ; c", "k:defn -: f-x [a] ( k:when-not s:\"two | s:lines\" n:nil c:; c"},
		{"pascal", "Procedure F(x: Integer); Begin Write('a') End; { c }", "k:Procedure f:F t:Integer k:Begin s:'a' k:End c:{ c }"},
		{"ada vhdl", "Signal x : Std_Logic; -- c", "k:Signal t:Std_Logic c:-- c"},
		{"fortran f90", "Subroutine f(x) ! c", "k:Subroutine f:f c:! c"},
		{"matlab octave", "%{ over\nlines %}\nfunction y = f(x) % c", "c:%{ over | c:lines %} | k:function f:f c:% c"},
		{"vb vba", "Dim x As String = \"a\" ' c", "k:Dim k:As t:String s:\"a\" c:' c"},
		{"bat cmd", "rem c\n@ECHO off & if exist \"a\" goto end", "c:rem c | n:off k:if k:exist s:\"a\" k:goto"},
		{"tcl", "foreach x $xs { puts \"a\" } # c", "k:foreach t:$xs k:puts s:\"a\" c:# c"},
		{"awk", "BEGIN { FS = \",\" } { print $1 } # c", "k:BEGIN n:FS s:\",\" k:print t:$1 c:# c"},
		{"vim", "\" c\nlet x = f('a')", "c:\" c | k:let f:f s:'a'"},
		{"sql", "SELECT a FROM t WHERE b = 'x' -- c", "k:SELECT k:FROM k:WHERE s:'x' c:-- c"},
		{"json", "{\"a\": null}", "s:\"a\" n:null"},
		{"yaml yml", "- name: \"a\" # c", "t:name s:\"a\" c:# c"},
		{"toml ini", "key = 'a' # c", "t:key s:'a' c:# c"},
		{"hcl tf terraform", "resource \"a\" \"b\" { count = 1 } # c", "k:resource s:\"a\" n:1 c:# c"},
		{"nix", "let x = ''two\nlines''; in x # c", "k:let s:''two | s:lines'' k:in c:# c"},
		{"nginx", "proxy_pass http://x; # c", "k:proxy_pass c:# c"},
		{"html xml", "<a href=\"x\"> <!-- c -->", "k:<a s:\"x\" c:<!-- c -->"},
		{"css scss", "color: \"a\"; /* c */", "t:color s:\"a\" c:/* c */"},
		{"lua", "--[[ over\nlines ]] local x = 'a' -- c", "c:--[[ over | c:lines ]] k:local s:'a' c:-- c"},
		{"dockerfile", "FROM x AS \"a\" # not at the end, but as one reads it", "k:FROM k:AS s:\"a\""},
		{"haskell hs", "{- over\nlines -} data X = Just \"a\" -- c", "c:{- over | c:lines -} k:data n:Just s:\"a\" c:-- c"},
		{"elixir ex", "defmodule X do \"a\" end # c", "k:defmodule k:do s:\"a\" c:# c"},
		{"latex tex", "\\section{x} 50\\% of it % c", "k:\\section -:\\% of it  c:% c"},
		{"asm nasm", "MOV rax, 1 ; c", "k:MOV t:rax n:1 c:; c"},
		{"markdown md", "# title\n- an `x`\n> c", "k:# title | k:- s:`x` | c:> c"},
		{"diff patch", "+a", "s:+a"},
	} {
		for _, name := range strings.Fields(tc.names) {
			l := Lexer{Lang: Of(strings.ToUpper(name))}
			if l.Lang == nil {
				t.Errorf("%s is not known", name)
				continue
			}
			seen[l.Lang] = true
			var lines [][]safe.Run
			for line := range strings.Lines(tc.src) {
				line = strings.TrimSuffix(line, "\n")
				runs, text := l.Line(nil, line, c), ""
				for _, r := range runs {
					text += r.Text
				}
				if text != line {
					t.Errorf("%s: %q became %q", name, line, text)
				}
				lines = append(lines, runs)
			}
			for y, want := range strings.Split(tc.want, " | ") {
				for _, w := range pieces(want) {
					if !slices.ContainsFunc(lines[y], func(r safe.Run) bool { return r.Text == w[2:] && r.Open == looks[w[:1]] }) {
						t.Errorf("%s: no %q in %q", name, w, lines[y])
					}
				}
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("%d grammars", len(seen))
	}
}

// pieces splits what is wanted of a line at each look's letter.
func pieces(s string) (out []string) {
	from := 0
	for i := 1; i+2 < len(s); i++ {
		if s[i] == ' ' && s[i+2] == ':' && strings.IndexByte("ktfsncm-", s[i+1]) >= 0 {
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// Grammars are read by several goroutines at once, and their words made at first use.
func TestWordsAreMadeOnce(t *testing.T) {
	lang := &Language{words: words("a b", "c")}
	done := make(chan wordKind)
	for range 4 {
		go func() { done <- lang.words.kind("c") }()
	}
	for range 4 {
		if k := <-done; k != typename {
			t.Errorf("c is %d", k)
		}
	}
	if k := (&Language{}).words.kind("a"); k != 0 {
		t.Errorf("a word of no language is %d", k)
	}
}

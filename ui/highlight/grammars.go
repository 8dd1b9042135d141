package highlight

var (
	slashes = []string{"//"}
	hash    = []string{"#"}
	cblock  = [][2]string{{"/*", "*/"}}
)

// The languages most is written in. They are read-only.
var (
	langGo = &Language{line: slashes, block: cblock, quotes: `"'`, multi: []string{"`"}, escape: true, calls: true, words: words(
		"break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
		"any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
		"true false nil iota")}
	langC = &Language{line: slashes, block: cblock, quotes: `"'`, escape: true, calls: true, words: words(
		"alignas alignof asm auto break case catch class const constexpr continue default delete do else enum explicit export extern final for friend goto if inline mutable namespace new noexcept operator override private protected public register return sizeof static static_cast struct switch template this throw try typedef typename union using virtual volatile while",
		"bool char double float int long short signed unsigned void size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t string vector map",
		"true false NULL nullptr")}
	langRust = &Language{line: slashes, block: cblock, quotes: `"`, escape: true, calls: true, words: words(
		"as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type union unsafe use where while yield",
		"bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize String Vec Option Result Box Self",
		"true false None Some Ok Err")}
	langJS = &Language{line: slashes, block: cblock, quotes: `"'`, multi: []string{"`"}, escape: true, calls: true, words: words(
		"abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in instanceof interface is keyof let namespace new of package private protected public readonly return satisfies set static super switch this throw try type typeof var void while with yield",
		"any bigint boolean never number object string symbol unknown Array Map Promise Record Set",
		"true false null undefined NaN Infinity")}
	langJava = &Language{line: slashes, block: cblock, quotes: `"'`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"abstract as assert break case catch class continue def default do else enum extends final finally for if implements import in instanceof interface native new package permits private protected public record return sealed static strictfp super switch synchronized this throw throws trait transient try var void volatile while with yield",
		"boolean byte char double float int long short String Integer Boolean Double Float Long Object List Map Set",
		"true false null")}
	langPython = &Language{line: hash, quotes: `"'`, multi: []string{`"""`, `'''`}, escape: true, calls: true, words: words(
		"and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
		"bool bytes dict float frozenset int list object set str tuple type self cls",
		"True False None")}
	langRuby = &Language{line: hash, block: [][2]string{{"=begin", "=end"}}, quotes: `"'`, escape: true, calls: true, words: words(
		"alias and begin break case class def defined? do else elsif end ensure for if in module next not or redo rescue retry return self super then undef unless until when while yield require require_relative include extend attr_accessor attr_reader attr_writer private protected public",
		"", "true false nil")}
	langShell = &Language{line: hash, quotes: `"'`, escape: true, dash: true, words: words(
		"alias break case continue do done elif else esac eval exec exit export fi for function if in local readonly return select set shift source then time trap unset until while",
		"awk cat cd chmod cp curl cut docker echo find git go grep head kill ls make mkdir mv npm pip printf python rm sed sort ssh sudo tail tar tee test touch tr wc wget xargs",
		"true false")}
	langSQL = &Language{line: []string{"--"}, block: cblock, quotes: `'"`, calls: true, fold: true, words: words(
		"add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not offset on or order outer primary references replace returning right rollback select set table then transaction trigger union unique update using values view when where with",
		"bigint blob boolean char date decimal double float int integer json jsonb numeric real serial smallint text time timestamp uuid varchar",
		"true false null")}
	langJSON = &Language{line: slashes, block: cblock, quotes: `"`, escape: true, words: words("", "", "true false null")}
	langYAML = &Language{line: hash, quotes: `"'`, escape: true, keys: true, dash: true, words: words("", "", "true false null yes no on off")}
	langTOML = &Language{line: []string{"#", ";"}, quotes: `"'`, multi: []string{`"""`, `'''`}, escape: true, keys: true, dash: true, words: words("", "", "true false")}
	langHTML = &Language{block: [][2]string{{"<!--", "-->"}}, quotes: `"'`, markup: true, dash: true}
	langCSS  = &Language{block: cblock, line: slashes, quotes: `"'`, escape: true, keys: true, dash: true, calls: true, words: words("", "", "auto none inherit initial unset")}
	langLua  = &Language{line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, quotes: `"'`, escape: true, calls: true, words: words(
		"and break do else elseif end for function goto if in local not or repeat return then until while", "", "true false nil")}
	langDocker = &Language{line: hash, quotes: `"'`, escape: true, dash: true, words: words(
		"ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM AS HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR ifeq ifneq else endif include define endef export", "", "")}
	langHaskell = &Language{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: `"`, escape: true, words: words(
		"case class data default deriving do else forall foreign if import in infix infixl infixr instance let module newtype of qualified then type where",
		"Bool Char Double Either Float IO Int Integer Maybe String", "True False Nothing Just Left Right")}
	langElixir = &Language{line: hash, quotes: `"'`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"after alias and case catch cond def defmacro defmodule defp defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with", "", "true false nil")}
	langDiff = &Language{diff: true}
)

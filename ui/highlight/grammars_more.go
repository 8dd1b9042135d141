package highlight

// Languages that are met less often, by family. They are read-only.

var (
	dashes  = []string{"--"}
	percent = []string{"%"}
	semi    = []string{";"}
	pascal  = [][2]string{{"(*", "*)"}, {"{", "}"}}
	ml      = [][2]string{{"(*", "*)"}}
)

// With braces.
var (
	langKotlin = &Language{line: slashes, block: cblock, quotes: `"'`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"abstract actual annotation as break by catch class companion const constructor continue crossinline data do else enum expect external final finally for fun get if import in infix init inline inner interface internal is lateinit noinline object open operator out override package private protected public reified return sealed set super suspend tailrec this throw try typealias val var vararg when where while",
		"Any Array Boolean Byte Char Double Float Int List Long Map MutableList MutableMap Nothing Pair Sequence Set Short String Unit",
		"true false null")}
	langSwift = &Language{line: slashes, block: cblock, quotes: `"`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"actor as associatedtype async await break case catch class continue convenience default defer deinit do else enum extension fallthrough fileprivate final for func get guard if import in indirect init inout internal is lazy let mutating nonisolated open operator override private protocol public repeat required rethrows return self set some static struct subscript super switch throw throws try typealias unowned var weak where while",
		"Any Array Bool Character Dictionary Double Float Int Optional Result Self Set String UInt Void",
		"true false nil")}
	langCSharp = &Language{line: slashes, block: cblock, quotes: `"'`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"abstract add as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is let lock namespace new not operator or orderby out override params partial private protected public readonly record ref required remove return sealed select set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using value virtual volatile when where while with yield",
		"bool byte char decimal double dynamic float int long nint object sbyte short string uint ulong ushort var void Dictionary IEnumerable List Task",
		"true false null")}
	langScala = &Language{line: slashes, block: cblock, quotes: `"`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"abstract case catch class def derives do else end enum export extends extension final finally for forSome given if implicit import infix inline lazy match new object opaque open override package private protected return sealed super then this throw trait transparent try type using val var while with yield",
		"Any AnyRef Array Boolean Byte Char Double Either Float Future Int List Long Map Nothing Option Seq Set Short String Unit Vector",
		"true false null None Some Nil Left Right")}
	langDart = &Language{line: slashes, block: cblock, quotes: `"'`, multi: []string{`"""`, `'''`}, escape: true, calls: true, words: words(
		"abstract as assert async await base break case catch class const continue covariant default deferred do else enum export extends extension external factory final finally for get hide if implements import in interface is late library mixin new of on operator part required rethrow return sealed set show static super switch sync this throw try typedef var when while with yield",
		"bool double dynamic Function Future int Iterable List Map num Object Set Stream String void",
		"true false null")}
	langPHP = &Language{line: []string{"//", "#"}, block: cblock, quotes: `"'`, escape: true, calls: true, vars: true, words: words(
		"abstract and as break callable case catch class clone const continue declare default do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or php print private protected public readonly require require_once return static switch throw trait try unset use while xor yield",
		"array bool float int iterable mixed never object parent self string void",
		"true false null TRUE FALSE NULL")}
	langZig = &Language{line: slashes, quotes: `"'`, escape: true, calls: true, words: words(
		"addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
		"anyerror anyopaque bool f16 f32 f64 i8 i16 i32 i64 i128 isize noreturn type u8 u16 u32 u64 u128 usize void",
		"true false null undefined")}
	langSolidity = &Language{line: slashes, block: cblock, quotes: `"'`, escape: true, calls: true, words: words(
		"abstract anonymous as assembly break calldata catch constant constructor continue contract delete do else emit enum error event external fallback for from function if immutable import indexed interface internal is library mapping memory modifier new override payable pragma private public pure receive return returns revert storage struct throw try unchecked using view virtual while",
		"address bool byte bytes bytes32 int int256 string uint uint8 uint128 uint256",
		"true false")}
	langProto = &Language{line: slashes, block: cblock, quotes: `"'`, escape: true, words: words(
		"edition enum extend extensions group import map message oneof option optional package public repeated required reserved returns rpc service stream syntax to weak",
		"bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64",
		"true false max")}
	langGraphQL = &Language{line: hash, quotes: `"`, multi: []string{`"""`}, escape: true, vars: true, words: words(
		"directive enum extend fragment implements input interface mutation on query repeatable scalar schema subscription type union",
		"Boolean Float ID Int String",
		"true false null")}
	langVerilog = &Language{line: slashes, block: cblock, quotes: `"`, escape: true, vars: true, words: words(
		"always always_comb always_ff always_latch assign automatic begin case casez class clocking default else end endcase endclass endfunction endgenerate endinterface endmodule endpackage endtask enum for forever function generate if import initial inout input interface localparam modport module negedge output package parameter posedge property repeat return struct task typedef while",
		"bit byte genvar int integer logic real reg shortint signed string time tri unsigned wire",
		"")}
)

// With words for braces, and scripts.
var (
	langPerl = &Language{line: hash, block: [][2]string{{"=pod", "=cut"}}, quotes: `"'`, escape: true, calls: true, vars: true, words: words(
		"and bless chomp cmp continue defined delete die do each else elsif eq eval exists for foreach ge given gt if keys last le local lt map my ne next no not or our package pop print printf push redo ref require return say shift sort split sub unless unshift until use values wantarray warn when while",
		"", "__PACKAGE__ __FILE__ __LINE__ undef")}
	langPowerShell = &Language{line: hash, block: [][2]string{{"<#", "#>"}}, quotes: `"'`, dash: true, fold: true, words: words(
		"begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach from function hidden if in param process return static switch throw trap try until using while add-content copy-item foreach-object get-childitem get-content get-process invoke-restmethod invoke-webrequest join-path move-item new-item new-object out-file remove-item select-object select-string set-content set-location sort-object start-process test-path where-object write-error write-host write-output",
		"array bool datetime hashtable int pscustomobject string", "")}
	langR = &Language{line: hash, quotes: `"'`, escape: true, calls: true, words: words(
		"break else for function if in next repeat return while library require", "",
		"TRUE FALSE NULL NA NaN Inf T F")}
	langJulia = &Language{line: hash, block: [][2]string{{"#=", "=#"}}, quotes: `"`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"abstract baremodule begin break catch const continue do else elseif end export finally for function global if import in isa let local macro module mutable primitive quote return struct try type using where while",
		"Any Array Bool Char Dict Float32 Float64 Int Int32 Int64 Nothing Real String Symbol Tuple UInt8 Vector",
		"true false nothing missing")}
	langNim = &Language{line: hash, block: [][2]string{{"#[", "]#"}}, quotes: `"`, multi: []string{`"""`}, escape: true, calls: true, words: words(
		"addr and as asm bind block break case cast concept const continue converter defer discard distinct div do elif else end enum except export finally for from func if import in include interface is isnot iterator let macro method mixin mod nil not notin object of or out proc ptr raise ref return shl shr static template try tuple type using var when while xor yield",
		"bool char cstring float int int64 openArray seq set string uint uint8",
		"true false nil")}
	langErlang = &Language{line: percent, quotes: `"'`, escape: true, calls: true, words: words(
		"after and andalso band begin bnot bor case catch cond div else end export fun if include let maybe module not of or orelse receive record rem spec try type when xor", "",
		"true false undefined ok error")}
	langOCaml = &Language{block: ml, quotes: `"`, escape: true, words: words(
		"and as assert begin class constraint do done downto else end exception external for fun function functor if in include inherit initializer lazy let match method module mutable new nonrec object of open or private rec sig struct then to try type val virtual when while with",
		"array bool bytes char exn float int list option ref result string unit",
		"true false None Some Ok Error")}
	langFSharp = &Language{line: slashes, block: ml, quotes: `"`, multi: []string{`"""`}, escape: true, words: words(
		"abstract and as assert base begin class default delegate do done downcast downto elif else end exception extern finally fixed for fun function global if in inherit inline interface internal lazy let match member module mutable namespace new not of open or override private public rec return static struct then to try type upcast use val void when while with yield",
		"array bool byte char decimal float int list obj option seq string unit",
		"true false null None Some Ok Error")}
	langLisp = &Language{line: semi, block: [][2]string{{"#|", "|#"}}, multi: []string{`"`}, escape: true, dash: true, words: words(
		"and begin case catch comment cond declare def defclass defconst defcustom define define-syntax defmacro defmethod defmulti defn defn- defparameter defprotocol defrecord defstruct defun defvar do doseq dotimes else finally fn for if if-let if-not in-package lambda let let* letrec loop module ns or progn provide quote recur require set! setf setq syntax-rules throw try unless use when when-let when-not while import export func param result local call",
		"i32 i64 f32 f64", "nil t true false")}
	langPascal = &Language{line: slashes, block: pascal, quotes: `'`, calls: true, fold: true, words: words(
		"and array as asm begin case class const constructor destructor div do downto else end except finally for function goto if implementation in inherited initialization interface is mod not object of on or override private procedure program property protected public published raise record repeat set shl shr then to try type unit until uses var virtual while with xor",
		"boolean byte char double integer int64 real single string word",
		"true false nil")}
	langAda = &Language{line: dashes, quotes: `"`, fold: true, words: words(
		"abort abs abstract accept access all and architecture array at begin body case component constant declare delay delta do downto else elsif end entity entry exception exit for function generate generic goto if in interface is library limited loop map mod new not null of on or others out overriding package port pragma private procedure process protected raise range record rem renames return reverse select separate signal subtype synchronized tagged task terminate then to type until use variable wait when while with xor",
		"bit boolean character float integer natural positive std_logic std_logic_vector string unsigned",
		"true false")}
	langFortran = &Language{line: []string{"!"}, quotes: `"'`, calls: true, fold: true, words: words(
		"allocatable allocate call case contains cycle deallocate dimension do else elseif end enddo endif exit function if implicit in inout intent interface kind module none only open out parameter pointer print private procedure program public pure read recursive result return save select stop subroutine target then type use where while write",
		"character complex double integer logical precision real", "")}
	langMatlab = &Language{line: percent, block: [][2]string{{"%{", "%}"}}, quotes: `"`, calls: true, words: words(
		"break case catch classdef continue else elseif end endfunction for function global if methods otherwise parfor persistent properties return switch try until while", "",
		"true false pi Inf NaN")}
	langBasic = &Language{line: []string{"'"}, first: []string{"Rem ", "REM "}, quotes: `"`, calls: true, fold: true, words: words(
		"addhandler and andalso as byref byval call case catch class const continue declare dim do each else elseif end enum event exit finally for friend function get goto handles if implements imports in inherits interface is let loop me mod module mustinherit namespace new next not of on option optional or orelse overridable overrides private property protected public readonly redim resume return select set shared static step stop structure sub then throw to try until using wend when while with xor",
		"boolean byte date decimal double integer long object short single string variant",
		"true false nothing")}
	langBatch = &Language{first: []string{"::", "rem ", "REM ", "Rem "}, quotes: `"`, fold: true, words: words(
		"call cd cls copy defined del do echo else endlocal errorlevel exist exit for goto if in mkdir move not pause popd pushd rmdir set setlocal shift start", "", "off on nul")}
	langTcl = &Language{line: hash, quotes: `"`, escape: true, vars: true, words: words(
		"append array break catch continue dict else elseif error eval expr for foreach global if incr lappend lindex list llength namespace package proc puts regexp regsub return set source string switch then try unset uplevel upvar variable while", "", "")}
	langAwk = &Language{line: hash, quotes: `"`, escape: true, calls: true, vars: true, words: words(
		"BEGIN END break continue delete do else exit for function getline if in next print printf return while", "",
		"FILENAME FNR FS NF NR OFS ORS RS")}
	langVim = &Language{first: []string{`"`}, quotes: `"'`, escape: true, calls: true, words: words(
		"abort autocmd augroup break call catch colorscheme command continue def echo else elseif end enddef endfor endfunction endif endtry endwhile execute export filetype finally for function highlight if import inoremap let local map nmap nnoremap noremap normal plugin return set setlocal silent source syntax throw try var vim9script vmap vnoremap while xnoremap", "",
		"on off true false")}
)

// What is set up, written up, or near the machine.
var (
	langHCL = &Language{line: []string{"#", "//"}, block: cblock, quotes: `"`, escape: true, keys: true, calls: true, words: words(
		"check data dynamic for_each import in locals module moved output provider resource terraform variable for if",
		"any bool list map number object set string tuple",
		"true false null")}
	langNix = &Language{line: hash, block: cblock, quotes: `"`, multi: []string{`''`}, keys: true, dash: true, words: words(
		"assert else if import in inherit let or rec then with", "builtins lib pkgs",
		"true false null")}
	langNginx = &Language{line: hash, quotes: `"'`, escape: true, vars: true, words: words(
		"access_log add_header alias error_log error_page events gzip http include index keepalive_timeout listen location map proxy_pass proxy_set_header return rewrite root server server_name ssl_certificate ssl_certificate_key try_files upstream user worker_connections worker_processes if set", "",
		"on off")}
	langTeX = &Language{line: percent, slash: true}
	langAsm = &Language{line: []string{";", "#", "//"}, block: cblock, quotes: `"`, escape: true, fold: true, words: words(
		"adc add addi addq and b beq bl blr bne br bx call cmp cmpq db dd dec div dq dw equ global globl idiv imul inc int ja jb je jg jge jl jle jmp jne jnz jz la lb ld ldp ldr lea leaq li loop lui lw mov movl movq movzx mul mv neg nop not or pop popq push pushq ret retq rol ror sal sar section sd shl shr stp str sub subq svc sw syscall test xor xorl",
		"al ah ax bl bx cl cx dl dx eax ebx ecx edx esi edi esp ebp rax rbx rcx rdx rsi rdi rsp rbp rip r8 r9 r10 r11 r12 r13 r14 r15 sp lr pc x0 x1 x2 w0 w1 a0 a1 ra t0 t1",
		"")}
	langMarkdown = &Language{first: []string{">"}, quotes: "`", prose: true}
)

package lsp

// known are the servers that need no more than a yes: those with a program of their own
// by whose name they are found, and of which each finds errors by itself. Some that are
// of no use without a project's own files are started only where those are.
func known() []Server {
	web := map[string]string{".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
		".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact"}
	webFiles := []string{"*.ts", "*.mts", "*.cts", "*.tsx", "*.js", "*.mjs", "*.cjs", "*.jsx"}
	python := []string{"pyproject.toml", "pyrightconfig.json", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"}
	all := []Server{
		{Name: "gopls", Command: "gopls", Language: "go", Files: []string{"*.go"}, Roots: []string{"go.work", "go.mod"}, Needs: true},
		{Name: "rust-analyzer", Command: "rust-analyzer", Language: "rust", Files: []string{"*.rs"}, Roots: []string{"Cargo.toml"}, Needs: true},
		{Name: "clangd", Command: "clangd", Language: "cpp", Languages: map[string]string{".c": "c"}, Needs: true,
			Files: []string{"*.c", "*.h", "*.cc", "*.cpp", "*.cxx", "*.hh", "*.hpp"}, Roots: []string{"compile_commands.json", "compile_flags.txt", ".clangd"}},
		{Name: "deno", Command: "deno", Args: []string{"lsp"}, Languages: web, Files: webFiles, Roots: []string{"deno.json", "deno.jsonc"}, Needs: true, instead: "web"},
		{Name: "typescript-language-server", Command: "typescript-language-server", Args: []string{"--stdio"}, Languages: web, Files: webFiles,
			Roots: []string{"tsconfig.json", "jsconfig.json", "package.json"}, instead: "web"},
		{Name: "typescript", Command: "tsc", Args: []string{"--lsp", "--stdio"}, Languages: web, Files: webFiles, // from 7 on
			Roots: []string{"tsconfig.json", "jsconfig.json", "package.json"}, instead: "web"},
		{Name: "basedpyright", Command: "basedpyright-langserver", Args: []string{"--stdio"}, Language: "python", Files: []string{"*.py", "*.pyi"}, Roots: python, instead: "python"},
		{Name: "pyright", Command: "pyright-langserver", Args: []string{"--stdio"}, Language: "python", Files: []string{"*.py", "*.pyi"}, Roots: python, instead: "python"},
		{Name: "bash-language-server", Command: "bash-language-server", Args: []string{"start"}, Language: "shellscript", Files: []string{"*.sh", "*.bash"}},
		{Name: "lua-language-server", Command: "lua-language-server", Language: "lua", Files: []string{"*.lua"}, Roots: []string{".luarc.json", ".luarc.jsonc"}},
		{Name: "zls", Command: "zls", Language: "zig", Files: []string{"*.zig"}, Roots: []string{"build.zig"}},
		{Name: "ruby-lsp", Command: "ruby-lsp", Language: "ruby", Files: []string{"*.rb"}, Roots: []string{"Gemfile"}},
		{Name: "sourcekit-lsp", Command: "sourcekit-lsp", Language: "swift", Files: []string{"*.swift"}, Roots: []string{"Package.swift"}, Needs: true},
		{Name: "ocamllsp", Command: "ocamllsp", Language: "ocaml", Files: []string{"*.ml", "*.mli"}, Roots: []string{"dune-project"}},
		{Name: "haskell-language-server", Command: "haskell-language-server-wrapper", Args: []string{"--lsp"}, Language: "haskell", Files: []string{"*.hs"}, Roots: []string{"*.cabal", "stack.yaml", "cabal.project"}, Needs: true},
		{Name: "gleam", Command: "gleam", Args: []string{"lsp"}, Language: "gleam", Files: []string{"*.gleam"}, Roots: []string{"gleam.toml"}, Needs: true},
		{Name: "terraform-ls", Command: "terraform-ls", Args: []string{"serve"}, Language: "terraform", Files: []string{"*.tf"}},
		{Name: "intelephense", Command: "intelephense", Args: []string{"--stdio"}, Language: "php", Files: []string{"*.php"}, Roots: []string{"composer.json"}},
	}
	for i := range all {
		all[i].found = true
	}
	return all
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Commands
import Kit
import System
import TestSupport
import Testing

@Suite("The command trees")
struct ShellCommandTests {
    @Test("Every command has a summary, an example that names it, and unambiguous words")
    func complete() {
        for root in CommandTrees.all { #expect(CommandTreeCheck.problems(in: root) == []) }
    }

    @Test("Completion scripts are valid and complete what they should")
    func bash() async throws {
        try await Scratch.with { scratch in
            let script = await larder("completions", "bash", home: scratch.path)
            #expect(script.code == .success)
            let file = try scratch.write(script.output, to: "larder.bash")
            for (words, expected) in [
                (["larder", "inst"], "install"), (["larder", "trust", "--n"], "--name"),
                (["larder", "install", "--until", "comp"], "complete"), (["larder", "completions", "z"], "zsh"),
            ] {
                let array = words.map { "'\($0)'" }.joined(separator: " ")
                let test = """
                    source '\(file)'; COMP_WORDS=(\(array)); COMP_CWORD=\(words.count - 1); _larder
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """
                let result = try await onOwnThread {
                    try ChildProcess.run(executable: "bash", arguments: ["-c", test])
                }
                #expect(result.outputText == expected + "\n", "\(words) \(result.errorText)")
            }
            for shell in ["zsh", "fish"] {
                #expect(await larder("completions", shell, home: scratch.path).output.contains("install"))
            }
            let wrong = await larder("completions", "zhs", home: scratch.path)
            #expect(wrong.code == .usage)
            #expect(wrong.errors.contains("Did you mean \"zsh\"?"))
        }
    }

    /// Completes each line as a person's zsh does, on a terminal of zsh's own.
    @Test("zsh completes commands, options, those of a default command, and what help explains")
    func zsh() async throws {
        let lines = [
            ("larder inst", "larder install "), ("larder help inst", "larder help install "),
            ("larder help trust rem", "larder help trust remove "), ("larder trust --n", "larder trust --name "),
            ("larder install --until comp", "larder install --until complete "),
            ("ba-package evalu", "ba-package evaluate "), ("ba-package --comp", "ba-package --compression "),
            ("ba-package x.json --comp", "ba-package x.json --compression "),
            ("ba-package man", "ba-package manifest.json "),
        ]
        try await Scratch.with { scratch in
            for program in ["larder", "ba-package"] {
                let script = await larder("completions", "--program", program, "zsh", home: scratch.path)
                try scratch.write(script.output, to: "_\(program)")
            }
            try scratch.write("{}", to: "manifest.json")
            try scratch.write(lines.map { $0.0 + "\n" }.joined(), to: "lines")
            try scratch.write(
                """
                cd $ZDOTDIR; autoload -Uz compinit && compinit -u -D
                source ./_larder; source ./_ba-package
                probe() {
                    for line in "${(@f)$(<lines)}"; do
                        BUFFER=$line; CURSOR=$#BUFFER; zle complete-word; print -r -- "$BUFFER" >> completed
                    done
                    exit
                }
                zle -N zle-line-init probe
                """, to: ".zshrc")
            let place = scratch.path.string
            let result = try await onOwnThread {
                try ChildProcess.run(
                    executable: "zsh",
                    arguments: [
                        "-f", "-c",
                        "zmodload zsh/zpty; zpty z zsh -d -i; while zpty -r z text; do print -r -- $text; done",
                    ], environment: ["PATH": "/usr/bin:/bin", "ZDOTDIR": place, "HOME": place, "TERM": "dumb"])
            }
            let completed = try OwnedDescriptor(scratch("completed"), .readOnly)
            let found = String(decoding: try completed.borrowed.readAll(), as: UTF8.self)
            #expect(found == lines.map { $0.1 + "\n" }.joined(), "\(result.outputText)")
        }
    }

    @Test("Manual pages have no text that a formatter takes for a macro")
    func man() async throws {
        try await Scratch.with { scratch in
            for program in CommandTrees.names {
                let page = await larder("man", "--program", program, home: scratch.path)
                #expect(page.code == .success)
                let known = [".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I"]
                for line in page.output.split(separator: "\n") where line.hasPrefix(".") {
                    #expect(known.contains { line == $0 || line.hasPrefix($0 + " ") }, "\(line)")
                }
            }
        }
    }

    @Test("--version tells the program's name and version")
    func version() async throws {
        try await Scratch.with { scratch in
            for program in CommandTrees.names {
                let outcome = await larder("--version", home: scratch.path, program: program)
                #expect(outcome.output == "\(CommandTrees.tree(for: program).name) 1.2.3\n")
            }
        }
    }
}

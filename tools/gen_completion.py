#!/usr/bin/env python3
"""docs/options.yaml -> completion of the command line for bash, zsh and fish.

    gen_completion.py OPTIONS COMMANDS_H MESSAGES --out DIR      write DIR/passprobe, DIR/_passprobe, DIR/passprobe.fish

Events are completed by what `passprobe list` prints, asked once in each shell."""
import argparse
import os
import re

from gen_messages import read as read_messages
from gen_options import LIKE_RECORD, of_command, read

# Arguments that are a file or folder; those with '|' are a choice; all others are free text.
FILES = ("DIR", "FILE")
EVENTS = r"""passprobe list 2>/dev/null | sed -n 's/^  \([a-z][a-z]*[:a-zA-Z0-9_.-]*\) .*/\1/p'"""


def commands_of(path, messages):
    """The commands of cli/commands/commands.h with their lines of --help."""
    with open(path, encoding="utf-8") as file:
        names = re.findall(r"X\((\w+), PP_TEXT_MAIN_\w+\)", file.read())
    texts = {row["name"]: row["text"] for row in read_messages(messages) if "text" in row}
    return {name: texts["main_" + name] for name in names}


def spellings(row):
    return ["--" + row["name"]] + (["-" + row["letter"]] if "letter" in row else [])


def kind(row):
    """How the argument of an option is completed: none, events, files, free, or a list of words."""
    if "arg" not in row or row["arg"].startswith("["):  # may be left out
        return "none"
    if row["name"] == "events":
        return "events"
    if "|" in row["arg"]:
        return row["arg"].split("|")
    return "files" if row["arg"] in FILES else "free"


def bash(rows, commands):
    options, values = [], []
    for command in commands:
        table = of_command(rows, command)
        words = " ".join(word for row in table for word in spellings(row))
        options.append(f"    {command}) options='{(words + ' ').lstrip()}--help' ;;")
        for row in table:
            what = kind(row)
            if what == "none":
                continue
            action = f"words='{' '.join(what)}'" if isinstance(what, list) else f"kind={what}"
            values.append(f"    {'|'.join(f'{command}:{word}' for word in spellings(row))}) {action} ;;")
    return rf"""# bash completion for passprobe: made from docs/options.yaml by tools/gen_completion.py

# The events of this machine. They are asked once: drivers need some time to answer.
_passprobe_events() {{
    if [[ -z ${{_passprobe_event_list+x}} ]]; then
        _passprobe_event_list=$({EVENTS})
    fi
    printf '%s\n' "$_passprobe_event_list"
}}

# What completes the value $2 of the option $1 of the command: COMPREPLY gets whole values. With $3: only find out
# whether the option takes a value.
_passprobe_value() {{
    local kind='' words='' head=''
    case $1 in
{chr(10).join(values)}
    *) return 1 ;;
    esac
    [[ -z ${{3-}} ]] || return 0
    if [[ $kind == events ]]; then
        head=$2
        [[ $head == *[,{{]* ]] && head=${{head%"${{head##*[,{{]}}"}} || head=''
        words=$(_passprobe_events)
    fi
    if [[ $kind == files ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
    else
        mapfile -t COMPREPLY < <(compgen -P "$head" -W "$words" -- "${{2#"$head"}}")
    fi
    return 0
}}

_passprobe() {{
    local line=${{COMP_LINE:0:COMP_POINT}} words=() cur command options='' i previous=''
    COMPREPLY=()
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    cur=${{words[-1]}}
    command=${{words[1]}}
    if ((${{#words[@]}} <= 2)); then
        mapfile -t COMPREPLY < <(compgen -W '{" ".join(commands)} help --help --version' -- "$cur")
        return
    fi
    if [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W '{" ".join(commands)}' -- "$cur")
        return
    fi
    case $command in
{chr(10).join(options)}
    *) return ;;
    esac
    # after "--", or after the first word that is no option, is the application's command line
    for ((i = 2; i < ${{#words[@]}} - 1; i++)); do
        if [[ -n $previous ]]; then
            previous=''
        elif [[ ${{words[i]}} == -- || ${{words[i]}} != -* ]]; then
            [[ ' {" ".join(sorted(LIKE_RECORD))} ' == *" $command "* ]] || return
            declare -F _command_offset >/dev/null && [[ ${{words[i]}} == -- ]] && _command_offset $((i + 1))
            return
        elif [[ ${{words[i]}} != *=* ]] && _passprobe_value "$command:${{words[i]}}" '' ask; then
            previous=${{words[i]}}
        fi
    done
    COMPREPLY=()
    if [[ -n $previous ]]; then
        _passprobe_value "$command:$previous" "$cur"
    elif [[ $cur == --*=* ]]; then
        _passprobe_value "$command:${{cur%%=*}}" "${{cur#*=}}" && COMPREPLY=("${{COMPREPLY[@]/#/${{cur%%=*}}=}}")
    elif [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    fi
    # readline replaces only what is after the last of its word breaks
    local head=''
    if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
        head=${{cur%"${{cur##*:}}"}}
    elif [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then
        head=${{cur%"${{cur##*=}}"}}
    fi
    [[ -z $head ]] || COMPREPLY=("${{COMPREPLY[@]#"$head"}}")
}}

complete -o default -F _passprobe passprobe
"""


def quote(text):
    return text.replace("'", "'\\''").replace("[", "(").replace("]", ")").replace(":", "\\:")


def zsh_option(row):
    what = kind(row)
    argument = ""
    if isinstance(what, list):
        argument = f":{row['name']}:({' '.join(what)})"
    elif what == "events":
        argument = ":events:_passprobe_events"
    elif what == "files":
        argument = ":file:_files"
    elif what == "free":
        argument = f":{row['arg'].lower()}: "
    equals = "=" if argument else ""
    head = f"'(--{row['name']} -{row['letter']})'{{-{row['letter']},--{row['name']}{equals}}}" if "letter" in row \
        else f"'--{row['name']}{equals}'"
    return f"        {head}'[{quote(row['summary'])}]{argument}'"


def zsh(rows, commands):
    listed = "\n".join(f"        '{name}:{quote(text)}'" for name, text in commands.items())
    cases = []
    for command in commands:
        lines = [zsh_option(row) for row in of_command(rows, command)] + ["        '(-h --help)'{-h,--help}'[help]'"]
        if command in LIKE_RECORD:
            lines += ["        '(-):command: _command_names -e'", "        '*::arguments: _normal'"]
        else:
            lines.append("        '*:file:_files'")
        cases.append(f"    {command}) _arguments -s -S \\\n" + " \\\n".join(lines) + " ;;")
    return f"""#compdef passprobe
# zsh completion for passprobe: made from docs/options.yaml by tools/gen_completion.py

_passprobe_events() {{
    if (( ! $+_passprobe_event_list )); then
        typeset -ga _passprobe_event_list
        _passprobe_event_list=(${{(f)"$({EVENTS})"}})
    fi
    _values -s , 'events' ${{_passprobe_event_list//:/\\\\:}}
}}

_passprobe() {{
    local -a commands
    commands=(
{listed}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{chr(10).join(cases)}
    esac
}}

_passprobe "$@"
"""


def fish(rows, commands):
    def text(words):
        return words.replace("\\", "\\\\").replace("'", "\\'")
    out = ["# fish completion for passprobe: made from docs/options.yaml by tools/gen_completion.py", "",
           "function __passprobe_events", "    if not set -q __passprobe_event_list",
           f"        set -g __passprobe_event_list ({EVENTS})", "    end",
           "    set -l head (string replace -r '[^,{]*$' '' -- (commandline -ct | string replace -r '^--events=' ''))",
           "    for event in $__passprobe_event_list", "        echo $head$event", "    end", "end", ""]
    for name, summary in commands.items():
        out.append(f"complete -c passprobe -n __fish_use_subcommand -f -a {name} -d '{text(summary)}'")
    for command in commands:
        seen = f"complete -c passprobe -n '__fish_seen_subcommand_from {command}'"
        for row in of_command(rows, command):
            what = kind(row)
            line = f"{seen} -l {row['name']}" + (f" -s {row['letter']}" if "letter" in row else "")
            if isinstance(what, list):
                line += f" -x -a '{' '.join(what)}'"
            elif what == "events":
                line += " -x -a '(__passprobe_events)'"
            elif what != "none":
                line += " -r" if what == "files" else " -x"
            out.append(f"{line} -d '{text(row['summary'])}'")
        out.append(f"{seen} -l help -s h -d 'show the options'")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("options")
    parser.add_argument("commands")
    parser.add_argument("messages")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    rows, commands = read(arguments.options), commands_of(arguments.commands, arguments.messages)
    for name, make in (("passprobe", bash), ("_passprobe", zsh), ("passprobe.fish", fish)):
        with open(os.path.join(arguments.out, name), "w", encoding="utf-8") as file:
            file.write(make(rows, commands))


if __name__ == "__main__":
    main()

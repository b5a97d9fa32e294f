# bash completion for whylate, made by `make docs` from the rows in cli/: change those.
_whylate()
{
    local word=${COMP_WORDS[COMP_CWORD]} options
    case ${COMP_WORDS[1]} in
    info) options='--help --input-format --same-run --set --json --quiet --no-color --plot --fail-above --junit --tap' ;;
    explain) options='--help --top --threshold --task --cpu --max-slices --timeline --input-format --same-run --set --json --quiet --no-color --plot --fail-above --junit --tap' ;;
    validate) options='--help --tail-threshold --confidence --input-format --same-run --set --json --quiet --no-color --plot --fail-verdict --fail-above --junit --tap' ;;
    compare) options='--help --baseline --margin --factor --fail-regression --tail-threshold --confidence --input-format --same-run --set --json --quiet --no-color --plot --fail-verdict --fail-above --junit --tap' ;;
    report) options='--help --output --format --quiet --top --threshold --task --cpu --max-slices --tail-threshold --confidence --input-format --same-run --set' ;;
    plot) options='--help --output --outlier --scripts --quiet --top --threshold --task --cpu --max-slices --input-format --same-run --set' ;;
    check) options='--help --input-format --same-run --set --json --quiet --no-color --plot' ;;
    import) options='--help --output --compress --no-hash --input-format --same-run --set --json --quiet --no-color --plot' ;;
    export) options='--help --output --to --table --series --outlier --context --quiet --top --threshold --task --cpu --max-slices --input-format --same-run --set' ;;
    merge) options='--help --output --force --compress --input-format --same-run --set --json --quiet --no-color --plot' ;;
    cut) options='--help --output --outlier --context --compress --top --threshold --task --cpu --max-slices --input-format --same-run --set --json --quiet --no-color --plot' ;;
    formats) options='--help --json --quiet --no-color' ;;
    esac
    if [ "$COMP_CWORD" = 1 ]; then
        options='--help --version info explain validate compare report plot check import export merge cut formats'
    elif [[ $word != -* ]]; then
        return
    fi
    COMPREPLY=($(compgen -W "$options" -- "$word"))
}
complete -o default -F _whylate whylate

"""The rule about names of files: those that comments and pages name exist."""
import os
import re

from conventions_text import comments, line_of, python_prose

# A path with a folder of the tree in front, or the name of a file of sources or documents.
PATH = re.compile(r"(?<![\w./<*$}{~-])((?:[\w.+-]+/)*[\w+][\w.+-]*\.(?:c|h|py|S|txt|yaml|cmake|map|md|sh))\b(?![\w/*(])")
FOLDER = re.compile(r"(?<![\w./<*$}{~-])((?:core|counters|hooks|layer|cli|annotate|tests|docs|tools|bench|samples)/[\w./+-]*\w)")
# Files of other projects: of the kernel, Mesa, Khronos, glibc, Arm, Unicode and CMake. Comments name them as sources of
# facts.
FOREIGN_FILES = re.compile(
    r"(?:.*/)?(?:linux|elf|layers|uapi/drm|ntfs3|smb/client|vboxsf|kernel|lib/i915|drm)/[\w./-]+|.*_drm\.h|.*perfcnt(er)?\.c|"
    r"mali_kbase_\w+\.[ch]|(?:src/intel/perf/)?intel_perf\w*\.[ch]|i915_perf\.c|xe_observation\.c|amdgpu_fdinfo\.c|"
    r"amdgpu_devices\.c|nvif/\w+\.h|radv_(?:perfcounter|query)\.c|v3dv_query\.c|lvp_\w+\.c|lp_setup\.c|zink_instance\.py|"
    r"performance_(?:monitor|query)\.c|"
    r"LoaderLayerInterface\.md|vulkan_(?:core|util)\.h|UnicodeData\.txt|DerivedCoreProperties\.txt|errno\.h|"
    r"CMakeCache\.txt")
# Patterns and examples: NAME.c, test_NAME.py, OUT.h, a.b.c (members of an object of JSON).
PLACEHOLDER = re.compile(r".*(?:NAME|OUT|HEADER|FILE|FOLDER|MODULE|DIR).*|.*/?(?:name|_private)\.[ch]|a\.b\.c|.*frame_times\.\w+")
# A page that keeps the names of files of former versions.
FORMER = ("NEWS.md",)


def lines_of_prose(tree):
    """(file, line number, text) of each comment, docstring and line of Markdown."""
    for name in tree.code(".c", ".h", ".S"):
        text = tree.read(name)
        for offset, comment in comments(text):
            yield from ((name, line_of(text, offset) + i, line) for i, line in enumerate(comment.split("\n")))
    for name in tree.python():
        for number, text in python_prose(tree.read(name)):
            yield from ((name, number + i, line) for i, line in enumerate(text.split("\n")))
    for name in tree.code(".md"):
        yield from ((name, number, line) for number, line in enumerate(tree.read(name).splitlines(), 1))
    for name in tree.code("CMakeLists.txt", ".cmake", ".sh"):
        yield from ((name, number, line) for number, line in enumerate(tree.read(name).splitlines(), 1)
                    if line.lstrip().startswith("#"))


def rule_files(tree):
    """Files and folders that a comment or a page names exist: at that path from the top, from the folder of the comment, or
    below any folder. What the build makes exists where a CMakeLists.txt or a generator names it."""
    folders = {folder for name in tree.every for folder in parents(name)}
    there = set(tree.every) | folders
    ends = {name[i:] for name in there for i in [0] + [match.end() for match in re.finditer("/", name)]}
    made = "\n".join(tree.read(name) for name in tree.every
                     if name.endswith(("CMakeLists.txt", ".cmake")) or name.startswith("tools/gen_"))
    for name, number, line in lines_of_prose(tree):
        if name in FORMER:
            continue
        for match in list(PATH.finditer(line)) + list(FOLDER.finditer(line)):
            path = match.group(1).rstrip(".")
            near = os.path.normpath(os.path.join(os.path.dirname(name), path))
            if path in ends or near in there or FOREIGN_FILES.fullmatch(path) or PLACEHOLDER.fullmatch(path):
                continue
            if match.re is FOLDER and (PATH.search(line[match.start():]) or any(known.startswith(path) for known in there)):
                continue
            if match.re is FOLDER or "/" in path or not re.search(rf"\b{re.escape(path)}", made):
                yield f"{name}:{number}: {path} does not exist"


def parents(name):
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name

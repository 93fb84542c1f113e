#!/usr/bin/env python3
"""Generate the commands of command buffers that are recorded in parts (layer/serialize/split.h) from the Khronos registry.

usage: gen_vk_split.py --registry vk.xml --out FILE

Each command goes to the part that is being recorded. Those that only set state are noted, with copies of what they
point to, to be repeated in the next part: by which state it is (KEYS), so that each is there once. Standard library only.
"""
import argparse
import os
import re
import xml.etree.ElementTree as ET

import gen_vk

# Commands that begin something which must end in the same command buffer.
OPENS = ("vkCmdBeginQuery", "vkCmdBeginQueryIndexedEXT", "vkCmdBeginConditionalRenderingEXT", "vkCmdBeginVideoCodingKHR",
         "vkCmdBeginTransformFeedbackEXT")
# The layer itself uses none of these. In a render pass that is split, they begin together with the next action.
AHEAD = ("vkCmdBeginConditionalRenderingEXT", "vkCmdBeginTransformFeedbackEXT")
CLOSES = tuple(name.replace("Begin", "End") for name in OPENS)
# The parameters that identify the state which a command sets: a later call with the same values replaces an earlier one.
# A call replaces an earlier one only as a whole, so the number of elements belongs to the key. So does pStrides, because
# NULL keeps the strides. Each call of a command that is not here is recorded.
KEYS = (
    ("BindPipeline|BindPipelineShaderGroupNV", "pipelineBindPoint"),
    ("BindDescriptorSets", "pipelineBindPoint firstSet descriptorSetCount"),
    ("SetDescriptorBufferOffsetsEXT", "pipelineBindPoint firstSet setCount"),
    ("BindDescriptorBufferEmbeddedSamplersEXT", "pipelineBindPoint set"),
    ("BindDescriptorBuffersEXT", "bufferCount"),
    ("PushConstants", "stageFlags offset size"),
    ("BindVertexBuffers|BindTransformFeedbackBuffersEXT", "firstBinding bindingCount"),
    ("BindVertexBuffers2", "firstBinding bindingCount pStrides"),
    ("SetStencil(CompareMask|WriteMask|Reference|Op)", "faceMask"),
    ("Set(Viewport|ViewportSwizzleNV|ViewportWScalingNV)", "firstViewport viewportCount"),
    ("SetScissor", "firstScissor scissorCount"),
    ("SetExclusiveScissorNV", "firstExclusiveScissor exclusiveScissorCount"),
    ("SetDiscardRectangleEXT", "firstDiscardRectangle discardRectangleCount"),
    ("SetColor(BlendAdvanced|BlendEnable|BlendEquation|WriteMask)EXT", "firstAttachment attachmentCount"),
    ("SetColorWriteEnableEXT", "attachmentCount"),
    ("SetViewportWithCount", "viewportCount"),
    ("SetScissorWithCount", "scissorCount"),
    ("SetSampleMaskEXT", "samples"),
    ("SetCoverageModulationTableNV", "coverageModulationTableCount"),
    ("BindIndexBuffer|BindInvocationMaskHUAWEI|BindShadingRateImageNV|SetVertexInputEXT|SetDeviceMask|SetBlendConstants|"
     "SetFragmentShadingRate(KHR|EnumNV)|SetLineStippleEXT|SetLineWidth|SetDepth(Bias|Bounds)|"
     "SetRayTracingPipelineStackSizeKHR", ""),
    # of one value each
    ("Set(AlphaToCoverageEnable|AlphaToOneEnable|ConservativeRasterizationMode|DepthClampEnable|DepthClipEnable|"
     "DepthClipNegativeOneToOne|ExtraPrimitiveOverestimationSize|LineRasterizationMode|LineStippleEnable|LogicOp|"
     "LogicOpEnable|PatchControlPoints|PolygonMode|ProvokingVertexMode|RasterizationSamples|RasterizationStream|"
     "SampleLocationsEnable|TessellationDomainOrigin)EXT", ""),
    ("Set(CoverageModulationMode|CoverageModulationTableEnable|CoverageReductionMode|CoverageToColorEnable|"
     "CoverageToColorLocation|RepresentativeFragmentTestEnable|ShadingRateImageEnable|ViewportWScalingEnable)NV", ""),
    ("Set(CullMode|DepthBiasEnable|DepthBoundsTestEnable|DepthCompareOp|DepthTestEnable|DepthWriteEnable|FrontFace|"
     "PrimitiveRestartEnable|PrimitiveTopology|RasterizerDiscardEnable|StencilTestEnable)", ""),
)
BY_HAND = ("vkCmdPushDescriptorSetKHR", "vkCmdBeginDebugUtilsLabelEXT", "vkCmdEndDebugUtilsLabelEXT", "vkCmdDebugMarkerBeginEXT",
           "vkCmdDebugMarkerEndEXT", "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkResetCommandBuffer",
           "vkQueueSubmit", "vkQueueSubmit2", "vkCmdBeginRenderPass", "vkCmdBeginRenderPass2", "vkCmdEndRenderPass",
           "vkCmdEndRenderPass2", "vkCmdBeginRendering", "vkCmdEndRendering", "vkCreateRenderPass", "vkCreateRenderPass2",
           "vkDestroyRenderPass")


class Param:
    """A parameter: its C type as a member, how many elements it points to, whether a copy of these is enough."""

    def __init__(self, node, structs):
        text = "".join(node.itertext())
        self.name = node.find("name").text
        self.type = node.find("type").text
        array = re.search(r"\[(\w+)\]", text)
        self.pointer = "*" in text or array is not None
        self.count = node.get("altlen") or node.get("len") or "1"
        if array:
            self.count = array[1]
        self.member = "const %s *%s" % (self.type, self.name) if self.pointer else "%s %s" % (self.type, self.name)
        pointers = structs.get(self.type, [])
        self.flat = not self.pointer or not [p for p in pointers if p != "pNext"]
        self.chains = self.pointer and "pNext" in pointers
        if self.pointer and self.type == "void" and not node.get("len"):
            self.flat = False

    def size(self):
        """Bytes; its own count may be one of a union of bits (sample masks)."""
        unit = "1" if self.type == "void" else "sizeof(*%s)" % self.name
        return "(size_t)(%s) * %s" % (self.count, unit)


def load_structs(root):
    """Names of the members of each struct that are pointers."""
    structs = {}
    for node in root.findall("types/type[@category='struct']"):
        structs[node.get("name")] = [m.find("name").text for m in node.findall("member") if "*" in "".join(m.itertext())]
    return structs


def is_state(cmd):
    """Sets what later commands in the buffer use, and does nothing."""
    return cmd.tasks == ["state"] and re.match(r"vkCmd(Set|Bind|Push)", cmd.name) and cmd.returns == "void"


def write_key(cmd, params):
    """Initializer of the key of a state."""
    key = write_words(cmd, params)
    return key if cmd.renderpass != "outside" else key[:-1] + ", .outside = true}"


def write_words(cmd, params):
    """Initializer of the key of a state that is set in the same way everywhere."""
    rule = next((names for regex, names in KEYS if re.fullmatch("vkCmd(%s)" % regex, cmd.name)), None)
    if rule is None:
        return "{.unique = true}"
    words = []
    for name in rule.split():
        found = [p for p in params if p.name == name]
        if not found:
            raise SystemExit("%s has no parameter %s" % (cmd.name, name))
        words.append("%s != NULL" % name if found[0].pointer else "(uint64_t)%s" % name)
    return "{.word = {%s}, .words = %u}" % (", ".join(words), len(words)) if words else "{.words = 0}"


def write_state(cmd, params):
    """struct, repetition and hook of a command that sets state."""
    short, rest = cmd.short(), params[1:]
    members = "".join("    %s;\n" % p.member for p in rest)
    args = ", ".join("s->" + p.name for p in rest)
    keep, pointed_to = [], []
    for p in rest:
        if not p.pointer:
            keep.append("        s->%s = %s;\n" % (p.name, p.name))
        else:
            bytes_of = "%s == NULL ? 0 : %s" % (p.name, p.size())
            pointed_to.append("pp_split_padded(%s)" % bytes_of)
            keep.append("        s->%s = pp_split_copy(split, %s, %s);\n" % (p.name, p.name, bytes_of))
    unknown = []
    for p in rest:
        if p.chains:
            unknown.append("has_chain(%s, %s, sizeof(*%s))" % (p.name, p.count, p.name))
    # A state that may only be set inside of a render pass cannot be set again outside.
    if not all(p.flat for p in rest) or cmd.renderpass == "inside":
        return """static VKAPI_ATTR void VKAPI_CALL
split_%s(%s)
{
    struct pp_split *split = pp_split_find(%s);
    const struct pp_vk_device_next *real = pp_split_real(%s);
    pp_split_forget(split);
%s    real->%s(%s);
}
""" % (short, cmd.declaration, params[0].name, params[0].name, call_twin(cmd, "real"), short, call_args(cmd))
    return """struct state_%s {
%s};

static void
repeat_%s(const struct pp_vk_device_next *real, VkCommandBuffer to, const void *state)
{
    const struct state_%s *s = state;
    real->%s(to, %s);
}

static VKAPI_ATTR void VKAPI_CALL
split_%s(%s)
{
    struct pp_split *split = pp_split_find(%s);
    const struct pp_vk_device_next *real = pp_split_real(%s);
    const struct pp_split_key key = %s;
    struct state_%s *s = %spp_split_note(split, repeat_%s, &key, sizeof(*s), %s);
    if (s != NULL) {
%s    }
%s%s    real->%s(%s);
}
""" % (short, members, short, short, short, args, short, cmd.declaration, params[0].name, params[0].name,
       write_key(cmd, rest), short, "%s ? NULL : " % " || ".join(unknown) if unknown else "", short,
       " + ".join(pointed_to) or "0", "".join(keep),
       "    if (s == NULL)\n        pp_split_forget(split);\n", call_twin(cmd, "real"), short, call_args(cmd))


def call_args(cmd):
    return ", ".join(["split != NULL ? pp_split_open_part(split) : " + cmd.params[0].name] + [p.name for p in cmd.params[1:]])


def call_twin(cmd, real):
    """C text that also calls the command for the twin of the open part: the part as if more of its render pass followed."""
    args = ", ".join(["twin"] + [p.name for p in cmd.params[1:]])
    cast = "(void)" if cmd.returns != "void" else ""
    return """    VkCommandBuffer twin = pp_split_twin(split);
    if (twin != VK_NULL_HANDLE)
        %s%s->%s(%s);
""" % (cast, real, cmd.short(), args)


def write_action(cmd):
    """Hook of any other command: from here on, the part holds more than state."""
    change = ""
    if cmd.name in OPENS:
        change = ", 1"
    elif cmd.name in CLOSES:
        change = ", -1"
    result = "return " if cmd.returns != "void" else ""
    return """static VKAPI_ATTR %s VKAPI_CALL
split_%s(%s)
{
    struct pp_split *split = pp_split_find(%s);
    const struct pp_vk_device_next *real = pp_split_real(%s);
%s    pp_split_note_command(split%s);
%s    %sreal->%s(%s);
}
""" % (cmd.returns, cmd.short(), cmd.declaration, cmd.params[0].name, cmd.params[0].name,
       "    pp_split_keep_together(split);\n" if cmd.name in AHEAD else "", change or ", 0", call_twin(cmd, "real"), result,
       cmd.short(), call_args(cmd))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--registry", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    commands, root = gen_vk.load_commands(args.registry)
    structs = load_structs(root)
    nodes = {n.find("proto/name").text: n for n in ET.parse(args.registry).getroot().find("commands")
             if n.find("proto") is not None and gen_vk.is_vulkan(n)}
    out = ["/* Generated by tools/gen_vk_split.py from %s: do not edit. */\n" % os.path.basename(args.registry),
           "#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n", "#include \"layer/serialize/split_instance.h\"\n#include \"layer/serialize/split_state.h\"\n",
           """/** Does one of these structs point to a further one, which nothing here could copy? */
static inline bool
has_chain(const void *structs, size_t count, size_t size)
{
    bool has = false;
    for (size_t i = 0; i < count && structs != NULL; i++)
        has = has || ((const VkBaseInStructure *)(const void *)((const char *)structs + i * size))->pNext != NULL;
    return has;
}
"""]
    table = []
    for cmd in commands:
        if cmd.first != "VkCommandBuffer" and cmd.name not in BY_HAND:
            continue
        if cmd.name in BY_HAND:
            function = "pp_split_" + cmd.short()
        else:
            params = [Param(p, structs) for p in nodes[cmd.name].findall("param") if gen_vk.is_vulkan(p)]
            out.append(write_state(cmd, params) if is_state(cmd) else write_action(cmd))
            function = "split_" + cmd.short()
        for name in cmd.names():
            table.append((name, function, cmd.short()))
    out.append("const struct pp_split_hook pp_split_hooks[] = {")
    out += ["    {\"%s\", (PFN_vkVoidFunction)%s, offsetof(struct pp_vk_device_next, %s)}," % row for row in sorted(table)]
    out.append("};\n")
    out.append("const size_t pp_split_hooks_count = sizeof(pp_split_hooks) / sizeof(pp_split_hooks[0]);\n")
    with open(args.out, "w", encoding="utf-8") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()

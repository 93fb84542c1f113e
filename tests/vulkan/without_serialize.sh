#!/bin/sh
# Does a layer that was linked with layer/serialize/none.c have no other code of layer/serialize/?
#
#     without_serialize.sh LAYER.so
set -eu
symbols=$(nm "$1")
echo "$symbols" | grep -q ' pp_hook_QueueSubmit$' || { echo "the layer has no hooks"; exit 1; }
if echo "$symbols" | grep -E ' [tTdDrR] pp_(split|idle|target)_'; then
  echo "other folders must call layer/serialize/ only through the struct of serialize.h"
  exit 1
fi

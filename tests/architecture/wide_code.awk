# Reads `objdump -d -C -w` of x86-64 code and lists the functions outside the per-target namespaces that
# hold VEX or EVEX instructions, which a processor without AVX cannot run. Judged by the first byte after
# the legacy prefixes: in 64-bit mode c4 and c5 open VEX, 62 opens EVEX, and nothing else.
/^[0-9a-f]+ <.*>:$/ {
  name = $0
  sub(/^[0-9a-f]+ </, "", name)
  sub(/>:$/, "", name)
  # The namespaces of the function itself count, not those of its arguments or of its result.
  own = name
  gsub(/ \[clone [^\]]*\]/, "", own)
  gsub(/\(anonymous namespace\)/, "anonymous", own)
  while (gsub(/<[^<>]*>/, "", own)) {}
  sub(/\(.*/, "", own)
  sub(/^.* /, "", own)
  per_target = own ~ /::N_AVX[0-9A-Z_]*::/
  functions++
  next
}
/^ *[0-9a-f]+:\t/ {
  count = split($0, part, "\t")
  bytes = split(part[2], byte, " ")
  for (i = 1; i <= bytes && byte[i] ~ /^(26|2e|36|3e|64|65|67)$/; ++i) {}
  if (byte[i] ~ /^(c4|c5|62)$/) {
    if (per_target) {
      allowed++
    } else if (!(name in seen)) {
      seen[name] = 1
      print "outside the per-target namespaces: " name ": " part[3]
      wrong++
    }
  }
}
END {
  print functions + 0 " functions, " allowed + 0 " VEX and EVEX instructions in per-target ones"
  if (functions == 0) print "nothing was disassembled"
  if (functions > 0 && allowed == 0) print "no kernel uses AVX: the check looked at the wrong file"
  exit (wrong > 0 || functions == 0 || allowed == 0)
}

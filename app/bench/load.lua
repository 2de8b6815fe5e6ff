-- Sends requests with each key in turn.
-- Arguments: the key file (one per line, optionally followed by a space and an ETag for If-None-Match), and the path.
local requests = {}
local last = 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    local key, tag = line:match("^(%S+) ?(.*)$")
    local headers = { ["Authorization"] = "Bearer " .. key }
    if tag ~= "" then headers["If-None-Match"] = tag end
    requests[#requests + 1] = wrk.format("GET", arguments[2], headers)
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

-- RESULT requests, microseconds, p99 in microseconds, bytes read, connection errors, responses other than 2xx and 3xx
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(99),
    summary.bytes, errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end

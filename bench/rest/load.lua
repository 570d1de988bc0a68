-- Load for one operation: wrk -s load.lua <url> -- <operation> <rows> <mark> <authorization> <word,word,…>
-- `mark` makes the codes of created items unique among samples.

local operation, rows, mark, words
local count = 0

local function pick(list)
  return list[math.random(#list)]
end

local function name()
  return pick(words) .. " " .. pick(words) .. " " .. pick(words)
end

local requests = {
  get = function()
    return wrk.format("GET", wrk.path .. math.random(rows))
  end,
  getKeyed = function()
    return wrk.format("GET", wrk.path .. math.random(rows / 10) .. "~" .. math.random(10))
  end,
  search20 = function()
    local status = pick({ "A", "B", "C", "D" })
    return wrk.format("GET", wrk.path .. "?itm_status=" .. status .. "&itm_name=%25" .. pick(words) .. "%25&_page=0&_pagesize=20")
  end,
  searchOr = function()
    local status = pick({ "A", "B", "C", "D" })
    local filter = "(itm_name%20like%20'%25" .. pick(words) .. "%25'%20or%20itm_category_id__cat_name%20=%20'Category%20" ..
      math.random(1000) .. "')%20and%20itm_status%20=%20'" .. status .. "'"
    return wrk.format("GET", wrk.path .. "?_filter=" .. filter .. "&_page=0&_pagesize=20")
  end,
  search100 = function()
    return wrk.format("GET", wrk.path .. "?_page=0&_pagesize=100")
  end,
  create = function()
    count = count + 1
    local body = '{"itm_code":"' .. mark .. "-" .. count .. '","itm_name":"' .. name() .. '",' ..
      '"itm_desc":"' .. string.rep(name() .. " ", 4) .. 'end","itm_price":12.5,"itm_qty":' .. math.random(1000) ..
      ',"itm_active":true,"itm_status":"A","itm_date":"2024-05-06","itm_dt":"2024-05-06 07:08:09",' ..
      '"itm_category_id":"' .. math.random(1000) .. '"}'
    return wrk.format("POST", wrk.path, nil, body)
  end,
  update = function()
    local body = '{"itm_qty":' .. math.random(1000) .. ',"itm_name":"' .. name() .. '"}'
    return wrk.format("PUT", wrk.path .. math.random(rows), nil, body)
  end
}

function init(args)
  operation, rows, mark = args[1], tonumber(args[2]), args[3]
  wrk.headers["Authorization"] = args[4]
  if operation == "create" or operation == "update" then
    wrk.headers["Content-Type"] = "application/json"
  end
  words = {}
  for word in string.gmatch(args[5], "[^,]+") do
    words[#words + 1] = word
  end
  math.randomseed(os.time())
  request = requests[operation]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"bytes":%d,"p50Ms":%.3f,"p99Ms":%.3f,"refused":%d,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end

// The words of the report in Chinese, by those in English. `{}` stands for a value, `{2}` for the second one.

const chinese = {
  // Around all views.
  "Skip to content": "跳到正文", "Views": "栏目", "Keys": "按键", "Close": "关闭", "Overview": "概览", "Clusters": "聚簇", "Passages": "段落",
  "◐ auto": "◐ 自动", "○ light": "○ 浅色", "● dark": "● 深色", "Theme: {}": "主题：{}",
  "overview, clusters": "概览、聚簇", "overview, passages": "概览、段落", "search": "搜索", "move in the list": "在列表中移动", "open": "打开", "previous and next pair": "上一对、下一对", "previous and next": "上一个、下一个",
  "next and previous shared passage": "下一处、上一处相同段落", "back": "返回", "this help": "本帮助", "‹ previous": "‹ 上一个", "next ›": "下一个 ›",
  "There is no such view. ": "没有此页面。", "Reading the clusters…": "正在读取簇…", ", ": "、", "; ": "；", ".": "。", ": ": "：", ": {}": "：{}", " and ": "和", "{} of {}": "{}（共 {}）", "{} to {}": "{} 至 {}",

  // Numbers of things.
  "{} bytes": "{} 字节", "{} pages": "{} 个网页", "{} clusters": "{} 个簇", "{} sites": "{} 家网站", "{} pairs": "{} 对", "{} words": "{} 个字词", "{} characters": "{} 个字符", "{} features": "{} 个特征",
  "{} passages": "{} 个段落", "{} inputs": "{} 个输入", "{} threads": "{} 个线程", "{} copies": "{} 个重复网页", "{} families": "{} 组近似网页", "{} records": "{} 条记录", "{} dropped pages": "{} 个去除的网页",
  "{} duplicate pairs": "重复 {} 对", "{} containing pairs": "包含 {} 对", "{} overlapping pairs": "部分重叠 {} 对", "{} possible pairs": "{} 对可能的网页对", "{} shared passages": "{} 处相同段落",
  "{} further pages": "{} 个网页", "{} further pairs": "{} 对", "{} further sites": "{} 家网站", "{} further inputs": "{} 个输入", "{} further places": "{} 处", "{} further ones are": "{} 个",
  "{} runs": "{} 个词串", "{} words or characters": "{} 个词或字", "{} others": "{} 处", "{} dropped pages take": "{} 个去除的网页", "{} clusters have": "{} 个簇", "and {} more": "另有 {} 个", "{} more": "另外 {} 个", "{} skipped": "跳过 {} 条",

  // The overview.
  "{} found": "找到 {}", "What was found": "结果", "pages read": "读取的网页", "copies dropped": "去除的重复网页", "{} of pages": "占网页的 {}", "bytes saved": "节省的字节", "{} of input": "占输入的 {}", "pages kept": "保留的网页",
  "clusters": "聚簇", "largest: {}": "最大：{}", "duplicate pairs": "重复的网页对", "containing pairs": "包含的网页对", "overlapping pairs": "部分重叠的网页对", "dropped too": "也去除", "nothing is dropped for them": "不因此去除网页",
  "rejected": "拒收", "could not be read": "无法读取", "all could be read": "全部可读", "rejects.jsonl has them": "见 rejects.jsonl",
  "Clusters by size": "按网页数统计的聚簇", "Clusters by sites": "按网站数统计的聚簇", "pages": "网页", "sites": "网站", "{} of {} {}": "{1}，各有 {2} 个{3}", "Number of clusters by their {}, both axes logarithmic": "按{}数统计的簇数，两轴均为对数", "{} of a cluster (logarithmic)": "每簇的{}数（对数）", "clusters (logarithmic)": "簇数（对数）",
  "{} pages of several sites; {} of one or of no known site.": "{}的网页来自多家网站；{} 个簇的网页来自一家网站，或网站不详。",
  "Pairs by similarity": "按相似度统计的网页对", "Number of related pairs by similarity, with the threshold": "按相似度统计的相关网页对数，标出阈值", "similarity of the pair": "网页对的相似度", "pairs (logarithmic)": "网页对的数目（对数）",
  "similarity {} to {}: {}, {}, {}": "相似度 {} 至 {}：{}，{}，{}", "threshold {}": "阈值 {}", "duplicate": "重复", "one contains the other": "一个包含另一个", "overlap: each says something of its own": "部分重叠：各有独有的内容",
  "{} left of the threshold: another test of the method accepted them; the page of the pair names it.": "阈值左侧有 {}：由该方法的另一项检验认定，网页对的页面上写明是哪一项。",
  "Who reprints whom": "转载关系", "repeats a page of →": "重复右列网站的网页 →", "{}: {} repeat a page of {} whole, {} in part": "{1} → {3}：全文重复 {2}，部分重复 {4} 个", "the same site": "同一网站",
  "Pages of the row’s site that repeat a page of the column’s site: ": "本行网站的网页中，重复本列网站网页的有多少：", "whole": "全文", "+ in part": "+ 部分",
  "If both pages have dates, the later repeats the earlier; otherwise duplicates count both ways and a contained page repeats the page that contains it.": "两个网页都有日期时，较晚的重复较早的；否则重复的网页双向计数，被包含的网页重复包含它的网页。",
  "There are no dates, so duplicates count both ways; a contained page repeats the page that contains it.": "没有日期，因此重复的网页双向计数；被包含的网页重复包含它的网页。",
  " {} with fewer pages in clusters are not shown.": "另有 {}在簇中的网页较少，未列出。", "Matrix of sites": "网站矩阵", "{} whole, {} in part": "全文 {}，部分 {}", "The strongest links between sites": "网站之间最强的联系",
  "Over time": "时间分布", "Pages by date": "按日期统计的网页", "date of the page, by {}": "网页日期（按{}）", "{}: {} kept, {} dropped as copies": "{}：保留 {}，作为重复去除 {} 个", "kept": "保留", "dropped as copies": "作为重复去除",
  "Not shown: {}.": "未显示：{}。", "{} without a date": "{}没有日期", "{} before the first bar": "{}早于第一条", "{} after the last bar": "{}晚于最后一条",
  "Check these clusters first": "请先检查这些簇", "cluster {}": "簇 {}", " around ": "，代表页 ", "All {} flagged clusters": "全部 {} 个标出的簇",
  "A cluster is flagged when under half of its pairs match at 20 pages or more, when it is very large, or when more than a third of a site, or of fifty consecutive pages, was dropped for one of its pages.": "标出的簇：有 20 个以上网页而相关的网页对不到一半，或特别大，或一家网站（或连续五十个网页）的三分之一以上因其中一个网页而去除。",
  "Sites that stand for others": "代表其他网站的网站", "Pages of other sites that were dropped for pages of these. A site that was first gains like this, and so does one that copied others and added something.": "其他网站因这些网站的网页而去除的网页数。首发的网站如此，转载并有所增补的网站也如此。", "Pages dropped for another site’s": "因其他网站的网页而去除的网页",
  "Where pages were dropped": "哪里的网页被去除", "The worst first, by the number of dropped pages times their share.": "按去除的网页数与所占比例之积排列，最多的在前。", "Dropped pages by {}": "按{}统计的去除网页", "site": "网站", "input": "输入", "dropped": "去除", "share": "比例", "own words lost": "失去的独有字词", "most for": "主要因为",
  "others of its own": "自己的其他网页", "pages without a site": "没有网站的网页", "the index": "索引", "{} lost pages, too.": "另有 {}也有网页被去除。",
  "Rejects": "拒收的记录", "Every record could be read.": "所有记录都可读取。", "Reasons": "原因", "The first {} of {} one by one": "逐条列出前 {} 条，共 {} 条", "All {} one by one": "逐条列出全部 {} 条", "file": "文件", "record": "记录", "reason": "原因",
  "Method {}, its parameters and all settings": "方法 {}，其参数和全部设置", "All settings": "全部设置", "Inputs: ": "输入：", "{} of very many pages: only the pairs that decide what is dropped are listed.": "{}的网页特别多：只列出决定去除哪些网页的网页对。",
  "Time per stage": "各阶段用时", "Seconds per stage": "各阶段的秒数", "Retold {}, {} s on {}": "Retold {}，{} 秒，{}", ", at most {} of memory": "，内存最多 {}",

  // What was lost.
  "What was lost": "失去的内容", "own words": "独有字词", "dropped page": "去除的网页", "dropped for": "因为", "duplicate of": "重复于", "collection of {}, the largest:": "{}的合辑，其中最大的：",
  "This method does not count what dropped pages say that others do not.": "此方法不统计去除的网页有哪些独有的内容。", "Nothing: no dropped page has a passage that the page that it was dropped for does not have.": "没有：去除的网页没有任何段落是留下的网页所没有的。",
  "{} {} of {} own along, which the page that stays does not have; at most {} each.": "{1}带走了留下的网页没有的 {2}；每个最多 {4}。", " These are the {} that lose most; dropped.jsonl has all.": "这里是失去最多的 {} 个；全部见 dropped.jsonl。",
  "{} to look at": "抽查 {}", "Chosen at random, the same ones each time, from the dropped pages that are no exact copies.": "从去除的、并非完全相同的网页中随机选出，每次相同。", "dropped page {} of {}": "去除的网页 {}/{}", "This dropped page is not in the report; dropped.jsonl has all.": "报告中没有这个去除的网页；全部见 dropped.jsonl。",

  // The list of clusters.
  "Search ids and titles": "搜索编号和标题", "part of an id or title, or a cluster’s number": "编号或标题的一部分，或簇的序号", "Relation": "关系", "any": "任意", "has duplicates": "有重复", "has contained pages": "有被包含的网页", "has pages that overlap": "有部分重叠的网页", "Site": "网站", "Pages from": "网页数从", "to": "至", "Flagged": "标出",
  "all": "全部", "loose, very large, or much of a site": "松散、特别大，或占网站的一大部分", "Order": "排序", "largest first": "最大的在前", "smallest first": "最小的在前", "least similar first": "最不相似的在前", "most sites first": "网站最多的在前", "most bytes saved first": "节省字节最多的在前", "by canonical page": "按代表页", "by number": "按序号",
  "containment": "包含", "overlaps": "部分重叠", "loose": "松散", "very large": "特别大", "much of a site": "占网站的一大部分", "from {}": "相似度 {} 起", "{} saved": "节省 {}",
  "; the report lists the {} largest of {}, clusters.jsonl has all": "；报告列出最大的 {} 个，共 {} 个，全部见 clusters.jsonl", "; searching members … {} %": "；正在搜索成员… {} %", "Choose a cluster to see its pages.": "选择一个簇，查看其中的网页。",

  // A cluster.
  "← All clusters": "← 全部簇", "Cluster {}: {}": "簇 {}：{}", "Cluster {}": "簇 {}", "canonical": "代表页", "The report does not list a cluster {}; clusters.jsonl has all.": "报告没有列出簇 {}；全部见 clusters.jsonl。",
  "The report holds the details of the largest clusters only; those of this one are in clusters.jsonl and pairs.jsonl.": "报告只有最大的簇的详情；此簇的详情见 clusters.jsonl 和 pairs.jsonl。",
  "Among the kept pages it has the longest text: {}.": "在保留的网页中，它的正文最长：{}。", "Among the kept pages it has the earliest date: {}.": "在保留的网页中，它的日期最早：{}。", "No kept page of the cluster has a date, so the page with the longest text represents it.": "此簇保留的网页都没有日期，因此由正文最长的网页代表。",
  "Its id comes first among the kept pages.": "在保留的网页中，它的编号排在最前。", "Among the kept pages it comes first by {}; after that, by the longest text.": "在保留的网页中，依次比较{}，它排在最前；仍相同时，正文最长者在前。", ", then ": "、", "the largest {}": "{}（最大者在前）", "the smallest {}": "{}（最小者在前）",
  "the longest text": "正文长度（最长者在前）", "the earliest date": "日期（最早者在前）", "id": "编号", "an https address": "是否为 https 网址", "the shortest address": "网址长度（最短者在前）", "being fetched, not derived": "是否为抓取所得而非转换所得", "the rank of its site or source": "网站或来源的次序",
  "Check this cluster: {}.": "请检查此簇：{}。", "fewer than half of its possible pairs are related, so it may contain more than one story": "可能的网页对中相关的不到一半，因此可能不只讲一件事", "it has more than {} pages": "有 {} 个以上网页", "more than a third of a site, or of fifty consecutive pages, was dropped for one of its pages": "一家网站（或连续五十个网页）的三分之一以上因其中一个网页而去除",
  "{} of {} reported ({}); {} dropped, {} saved.": "{2}中列出 {1} 对（{3}）；去除 {4}，节省 {5}。", "Of {} and {}{}; {} if exact copies of one site count once; {} of their own went with dropped pages.": "来自 {1}、{2}{3}；同一网站完全相同的网页只计一次时，有 {4}；去除的网页带走了独有的 {5}。", "no known site": "0 家已知网站", ", of {}": "，日期 {}", ", from {} to {}": "，日期 {} 至 {}",
  "Pages": "网页", "page": "网页", "similarity": "相似度", "characters": "字符数", "date": "日期", "similarity to ": "相似度所比的网页：", "no reported relation to a page that stays": "与留下的网页没有列出的关系", "duplicate of ": "重复于 ", "contained in ": "包含于 ", "overlaps ": "部分重叠于 ", "the canonical page": "代表页", "another page of the cluster": "簇中的另一个网页",
  "{} of this cluster are in clusters.jsonl.": "此簇另有 {}，见 clusters.jsonl。", "Pairs": "网页对", "equal texts": "正文相同", "contains": "包含", "contained in": "包含于", "{} of this cluster are in pairs.jsonl.": "此簇另有 {}，见 pairs.jsonl。",

  // A pair.
  "pair {} of {}": "网页对 {}/{}", "This pair is not in the report; pairs.jsonl has all pairs.": "报告中没有这对网页；全部见 pairs.jsonl。", "The texts of these pages are not in the report: it holds those of the largest clusters only.": "报告中没有这两个网页的正文：只有最大的簇的正文。",
  "This report holds no texts, so that it can be shared. Run retold dedup with --report-text, or ask for this pair alone:": "此报告不含正文，以便分享。运行 retold dedup 时加上 --report-text，或单独查询这对网页：",
  "The two texts are equal after folding: duplicates, whatever the method says.": "两篇正文归一后相同：无论用何种方法，都是重复。", "The pages are duplicates.": "两个网页重复。", "Page A contains page B.": "网页 A 包含网页 B。", "Page B contains page A.": "网页 B 包含网页 A。", "The pages overlap: each says something of its own besides.": "两个网页部分重叠：又各有独有的内容。", "The pages are not related.": "两个网页无关。",
  "Page {} has {} in passages of its own.": "网页 {} 独有的段落有 {}。", "Page {} has no passage of its own.": "网页 {} 没有独有的段落。", "How the verdict was made": "如何判定", "not related": "无关",
  "Shared features by document frequency": "共有特征的文档频率", "Document frequency of each shared feature, rarest first: the rarer, the stronger the evidence.": "每个共有特征的文档频率，最少的在前：越少，证据越强。", "Common in the collection, not evidence by themselves: ": "在全部网页中常见，单独不算证据：", "Pruned as noise, not counted: ": "作为噪音剪去，不计：",
  "common: not evidence by itself": "常见：单独不算证据", "pruned as noise: not counted": "作为噪音剪去：不计", "on one page only": "只在一个网页上", "Shared features": "共有特征", "feature": "特征", "document frequency": "文档频率", "different pages that have it": "有此特征的不同网页数", "in A": "在 A 中", "in B": "在 B 中", "The pages share no feature.": "两个网页没有共有的特征。",
  "Document frequency: number of different pages with the feature; copies count once.": "文档频率：有此特征的不同网页数；相同的网页只计一次。", "{} on one page only.": "{}只在一个网页上。", "… the text goes on; the report holds its beginning only.": "…正文未完；报告只有其开头。", "Texts": "正文", "Texts side by side": "正文对比", "Text of page {}": "网页 {} 的正文",
  "{}, {} in all ({} of A’s text). Click one to see it on the other side; n and p go through them.": "{}，共 {}（占 A 正文的 {}）。点击一处，可在另一边看到；按 n 和 p 逐处查看。", "shared": "相同", "shared, elsewhere in the order": "相同，但位置不同", "noise": "噪音",

  // Passages.
  "{} with the text of another": "{} 个与另一网页正文相同", "passages": "段落", "{} boilerplate of a site": "{} 个是网站的模板文字", "places": "出现处", "a passage on a page": "一个网页上的一个段落", "pairs": "段落对", "a passage of two pages": "两个网页共有的一个段落", "pages that repeat another": "重复其他网页的网页", "for the most part": "大部分重复", "pairs aligned": "对齐的网页对", "too common": "过于常见", "runs of words not looked for": "未查找的词串",
  "boilerplate": "模板文字", "Boilerplate": "模板文字", "hidden": "隐藏", "shown": "显示", "on ": "见于 ", "first {} on ": "最早 {}，见于 ", "No two pages have a passage in common": "没有两个网页有共同的段落", "The most repeated passages": "重复最多的段落", "All passages in this report": "此报告中的全部段落",
  "Who has it from whom": "谁取自谁", "Of the passages in this report: how many times one has a passage that the other had before, with the text that is the most like it.": "就此报告中的段落而言：一方的段落另一方先有、且文字最接近的次数。", "The strongest links": "最强的联系", "Too common to be looked for": "过于常见而未查找",
  "{} of words are on more than {} pages (--max-df). The most common ones:": "{}出现在 {} 个以上网页中（--max-df）。最常见的是：", "{}, one of them ": "{}，其中一个是 ", "The report shows all passages.": "报告列出了全部段落。",
  "The report shows the {} passages that the most pages have, the longest of equals: {} at most, and {} that are boilerplate. {} in passages.jsonl.": "报告列出出现网页最多的 {} 个段落，相同时取最长的：至多 {} 个，模板文字至多 {} 个。另有 {}，见 passages.jsonl。",
  " Of a passage {} places are listed at most; of a page longer than {} characters what stands around its passages is shown.": "一个段落至多列出 {} 处；超过 {} 个字符的网页只显示段落前后的文字。", "most pages": "网页最多", "most sites": "网站最多", "longest": "最长", "earliest": "最早", "latest": "最晚", "None.": "没有。", "Show more of {}": "显示更多（还有 {} 个）", "words, page or site": "词语、网页或网站", "Search": "搜索",
  "{} from {} to {}": "{}，{} 至 {}", "first: {}": "最早：{}", "{} match": "{}相同", "Who has it, from whom": "谁有此段落，取自谁", "from ": "取自 ", "after ": "晚于 ", "also on ": "也见于 ", "first": "最早", "later": "较晚", "side by side": "对比", "characters {}–{}": "字符 {}–{}", "{} with this text (copies.jsonl)": "{}正文与此相同（copies.jsonl）",
  "“From”: of the pages with an earlier date the one whose text is the most like it. What stood between the two and is not in the collection, no one can tell.": "“取自”：日期较早的网页中文字最接近的一个。两者之间是否还有未收集的网页，无从得知。",
  " “After”: no earlier page was aligned with this one, as one of the two repeats a third page; the first page is named.": "“晚于”：没有较早的网页与它对齐，因为其中一个重复了第三个网页；这里写出最早的网页。", " {} stand in passages.jsonl.": "另有 {}，见 passages.jsonl。",
  "The report has no such passage; passages.jsonl has all.": "报告中没有此段落；全部见 passages.jsonl。", "All passages": "全部段落", "The passage": "该段落", "In {}": "见于 {}", "in {}": "见于 {}", "{}, as on ": "{}，文字取自 ", ", which has it first: {}": "，它最早有此段落：{}", ". ": "。", " Four fifths of the pages are of one site.": "五分之四的网页来自同一网站。",
  "… {} not shown …": "…有 {}未显示…", "{} with the same text (copies.jsonl)": "{}正文相同（copies.jsonl）", "The text of this page is not in the report, which holds those of the pages with the most repeated passages. passages.jsonl has the places; retold text prints the page.": "报告中没有此网页的正文，只有重复段落最多的网页的正文。出现处见 passages.jsonl；retold text 可输出此网页。",
  "The report has no such page.": "报告中没有此网页。", "a passage that is not in the report": "不在报告中的段落", "Text of the page": "网页正文", "Text": "正文", "{} of this report marked{}. Click one to see who else has it.": "标出此报告中的 {}{}。点击一处，查看还有谁有此段落。", ", {} underlined": "，另有 {}加下划线", "Passages on it": "其中的段落",
  "B has it after A": "B 晚于 A", "A and B have it": "A 和 B 都有", "Side by side": "对比", "{}, score {}. ": "{}，得分 {}。", "Characters {}–{} of A, {}–{} of B.": "A 的字符 {}–{}，B 的字符 {}–{}。", "the passage": "该段落", "words that the other does not have there": "另一方此处没有的词",
};

// Sentences that the command has written: tests of methods, stages, reasons. They come with the data, with numbers and names where `{}` is.
const composed = {
  "Retold: {} copies in {} pages": "Retold：{2} 个网页中有 {1} 个重复网页", "Retold: {} passages in {} pages": "Retold：{2} 个网页中有 {1} 个段落", "Retold: {} and {}": "Retold：{} 与 {}",

  // Stages.
  "hash inputs": "校验输入", "count words": "统计词频", "read": "读取", "learn": "学习噪音", "group": "归组", "join": "配对", "heavy keys": "高频特征", "fingerprint": "指纹", "verify": "核对", "retain": "取舍", "cluster": "聚簇", "words": "重读正文", "seeds": "选种子", "align": "对齐", "places": "定位", "write": "写出",

  // Units of time.
  "day": "日", "month": "月", "year": "年",

  // Why a cluster is flagged.
  "more than {} pages": "网页超过 {} 个", "fewer than half of its possible pairs are related": "可能的网页对中相关的不到一半",
  "{} of the {} pages of {} were dropped for {}, of which {} % is boilerplate": "{1} 个网页（{3} 共 {2} 个）因 {4} 而去除，后者有 {5} % 是模板文字", "{} of the {} pages of {} were dropped for {}": "{1} 个网页（{3} 共 {2} 个）因 {4} 而去除",
  "{} of {} consecutive pages were dropped for {}, of which {} % is boilerplate": "{} 个网页（在连续 {} 个之中）因 {} 而去除，后者有 {} % 是模板文字", "{} of {} consecutive pages were dropped for {}": "{} 个网页（在连续 {} 个之中）因 {} 而去除",

  // What a page of explain adds.
  "keywords of both pages: {}": "两个网页共有的关键词：{}", "keywords of the first page only: {}": "只在第一个网页中的关键词：{}", "keywords of the second page only: {}": "只在第二个网页中的关键词：{}",
  "The run lists no passages of `{}`: it has the same text as `{}` (copies.jsonl).": "本次运行没有列出 {} 的段落：它与 {} 正文相同（copies.jsonl）。", "A passage of the run: characters {} to {} of A, {} to {} of B; {} words match, score {}": "本次运行的一个段落：A 的字符 {} 至 {}，B 的字符 {} 至 {}；{} 个词相同，得分 {}", "The run lists no passage that both pages have.": "本次运行没有列出两个网页共有的段落。",
  "The run did not compare `{}`: it is an older version of a page (versions.jsonl). What follows is judged by the texts alone.": "本次运行没有比较 {}：它是一个网页的旧版本（versions.jsonl）。以下只按正文判定。",
  "The run's pairs.jsonl does not list this pair: it may be a pair inside a very large group, or the input has changed since.": "本次运行的 pairs.jsonl 没有列出这对网页：它可能在一个特别大的组中，或者输入此后有了变化。",
  "The run reported otherwise: {}, similarity {}. The input has changed since, or the run was made by another version.": "本次运行的结果不同：{}，相似度 {}。输入此后有了变化，或者运行所用的版本不同。",
  "--same-url {}: {}; their texts decide.": "--same-url {}：规范链接使两个网页成为候选；由正文决定。", "--same-url {}: both pages have the address {}. --versions keep: they are compared as other pages are.": "--same-url {}：两个网页的网址都是 {}。--versions keep：与其他网页一样比较。",

  // Tests of pairs, and what follows from them.
  "computed on the full texts; the command retold explain shows the details": "按全文计算；retold explain 命令给出细节", "the smaller page's size divided by the larger's": "较小网页的大小除以较大网页的大小",
  "duplicate": "重复", "the larger contains the smaller": "较大的包含较小的", "enough evidence": "证据足够", "search for other evidence": "再找其他证据",
  "shared features; common ones are not evidence unless there are many": "共有的特征；常见的特征除非很多，否则不算证据", "whether the rare shared features alone relate the pages (1) or not (0)": "仅凭少见的共有特征，两个网页是否相关（1 是，0 否）",
  "characters of the shorter page without its blocks of links; at most those of the shared sentences divided by `cover`": "较短网页除去链接块的字符数；至多为共有句子的字符数除以 cover",
  "words of the smaller page outside frames that the other has, in order or in a moved passage, divided by all of these": "较小网页框架以外、另一网页也有（按顺序或在移动的段落中）的词，除以这样的全部词", "share of the smaller sketch, without templates, that the other has": "较小的特征集除去模板后，另一网页所有的比例", "share of the smaller sketch that the other has": "较小的特征集中另一网页所有的比例",
  "thousandths of the smaller page in full sentences; in articles, shared text of templates is evidence": "较小网页中成句文字的千分比；在文章中，模板的共有文字也算证据", "runs of words that both pages have, including those of templates": "两个网页都有的词串，包括模板中的",
  "an article": "是文章", "not an article; templates are no evidence": "不是文章；模板不算证据", "not enough without templates": "除去模板后不足", "evidence only if names agree, or in an article": "名称一致或在文章中才算证据",
  "words of the smaller page that the other has in the same order, divided by all": "较小网页中另一网页按相同顺序也有的词，除以全部词", "words of the smaller page that the other has in the same order, divided by all; none is replaced": "较小网页中另一网页按相同顺序也有的词，除以全部词；没有词被替换", "words of the smaller page that the other has in the same order, divided by all; numbers and names are the same": "较小网页中另一网页按相同顺序也有的词，除以全部词；数字和名称相同",
  "nearly equal pages": "几乎相同的网页", "not nearly equal": "并非几乎相同", "words of an article that the other page has in the same order, even if many pages have them": "文章中另一网页按相同顺序也有的词，即使许多网页都有", "a statement in an article": "文章中的一段陈述", "no statement": "不是陈述", "names agree": "名称一致", "names do not agree": "名称不一致",
  "words that stand in the place of others, divided by those of the smaller page outside templates": "替换了其他词的词，除以较小网页模板以外的词", "as in a copy": "与转载相当", "only if names and numbers agree": "名称和数字一致才可", "nearly equal words divided by all differing words of the smaller page": "几乎相同的词除以较小网页中全部不同的词", "misread by a machine": "机器误读", "not misread": "不是误读", "reworded": "改写", "not reworded": "不是改写",
  "overlaps: words in it differ": "部分重叠：其中有词不同", "not the same": "不是同一内容", "share of the longest words of one page that the other has; the lower of the two shares": "一个网页最长的词中另一网页也有的比例；取两个比例中较低的",
  "runs of words of the smaller page that the other has, divided by all": "较小网页中另一网页也有的词串，除以全部词串", "aligned": "进行对齐", "aligned if words are in common": "有共同的词则对齐", "words of the smaller page that the other has, in any order, divided by all; not aligned if fewer": "较小网页中另一网页也有的词（不论顺序），除以全部词；更少则不对齐", "pairs of neighbouring words of the smaller page that the other has, divided by all; not aligned if fewer": "较小网页中另一网页也有的相邻词对，除以全部词对；更少则不对齐",
  "1 if a third of the shared shingles belongs to templates, as in forms, else 0": "共有的 shingle 有三分之一属于模板（如表格）则为 1，否则为 0", "pairs of neighbouring words of the smaller page that the other has, divided by all; names or numbers differ, so only letters may be wrong": "较小网页中另一网页也有的相邻词对，除以全部词对；名称或数字不同，因此只允许字母有误", "words of the smaller page that the other has, in any order, divided by all; names differ, and only templates agree": "较小网页中另一网页也有的词（不论顺序），除以全部词；名称不同，只有模板一致",
  "words in own passages, which the other page does not have": "独有段落中的词，另一网页没有", "pages with something of their own; pages that are only frames are copies or nothing": "有独有内容的网页数；只有框架的网页要么相同，要么无关", "neighbouring content words of both pages that few other pages have, and both have, divided by all of these": "其他网页少有而两个网页都有的相邻实词，除以两个网页这样的全部实词",
  "longer words that may be the other page's with wrong letters, divided by all longer ones of the smaller page that differ; rare bigrams agree": "可能是另一网页的词写错字母的较长的词，除以较小网页中全部不同的较长的词；少见的相邻词一致", "words of the page that the other has in the same order, divided by all; rare bigrams, the longest words and numbers agree, so it may be retold in other words": "网页中另一网页按相同顺序也有的词，除以全部词；少见的相邻词、最长的词和数字一致，因此可能是换词转述", "mistyped": "有错字", "not mistyped": "不是错字", "overlaps: much mistyped": "部分重叠：错字很多", "may be mistyped or retold": "可能有错字或转述",
  "length ratio: keys of the smaller sketch divided by those of the larger": "长度比：较小特征集的特征数除以较大的", "shared full-stop features, without noise": "共有的句号特征，不计噪音", "equal whole sentences (required because the smaller page has few features)": "相同的整句（因较小网页特征少而需要）", "characters of these sentences": "这些句子的字符数", "common containment similarity: shared features divided by those of the smaller page": "公共包含相似性：共有特征数除以较小网页的特征数", "length ratio: features of the smaller page divided by those of the larger": "长度比：较小网页的特征数除以较大网页的特征数",
  "sentences that both pages have, without noise": "两个网页都有的句子，不计噪音", "characters of the sentences that both pages have": "两个网页都有的句子的字符数", "these divided by the characters of all sentences of the shorter page": "除以较短网页全部句子的字符数", "characters of the shorter page's sentences divided by those of the longer": "较短网页句子的字符数除以较长网页的",
  "features of the smaller page divided by those of the larger": "较小网页的特征数除以较大网页的特征数", "signatures that both pages have": "两个网页都有的签名", "these divided by the signatures that a page can have": "除以一个网页可有的签名数", "digests that both pages have": "两个网页都有的摘要", "full stops of the page with fewer divided by those of the other": "句号较少的网页的句号数除以另一网页的", "bits of 64 in which the fingerprints differ": "64 位指纹中不同的位数",
  "shared best words": "共有的最佳词", "cosine of the pages' vectors of best words": "两个网页最佳词向量的余弦", "shared signatures (multiset)": "共有的签名（可重复计）", "shared signatures divided by all signatures of both pages": "共有的签名除以两个网页的全部签名",
  "exact resemblance: shared shingles divided by all shingles of both pages": "精确的相似性：共有的 shingle 除以两个网页的全部 shingle", "length ratio: shingles of the smaller page divided by those of the larger": "长度比：较小网页的 shingle 数除以较大网页的", "estimated containment: sampled shingles of the smaller page that the larger has": "估计的包含度：较小网页的抽样 shingle 中较大网页所有的", "bands of min-hash values that both pages have": "两个网页都有的 min-hash 值段", "estimated resemblance: min-hash values that agree": "估计的相似性：一致的 min-hash 值", "exact containment: shared shingles divided by those of the smaller page": "精确的包含度：共有的 shingle 除以较小网页的 shingle",
  "shared hashes of best words": "共有的最佳词哈希", "cosine of the keyword counts": "关键词计数的余弦", "duplicates": "重复", "duplicates, if related": "若相关则为重复", "contained by share, else duplicates": "按比例判为包含，否则为重复", "duplicates by share?": "按比例是否重复？", "share of the shorter page's keyword occurrences whose words are keywords of the longer page": "较短网页的关键词出现次数中，也是较长网页关键词的比例", "the longer contains the shorter": "较长的包含较短的", "not contained": "不包含",
  "shared key concepts among those queried": "检索所用关键概念中共有的", "cosine of the key concept counts": "关键概念计数的余弦", "position spread S of shared concepts, divided by the words of the shorter page": "共有概念的距离分布 S，除以较短网页的词数", "position spread S of shared concepts, in words": "共有概念的距离分布 S，以词计", "position spread S as printed in DWDCS, the larger of both directions, in words": "DWDCS 原文的距离分布 S，两个方向取大者，以词计", "concepts that occur twice or more on both pages; without any, positions are not tested": "在两个网页上都出现两次以上的概念；没有则不检验位置", "length ratio: words of the shorter page divided by those of the longer": "长度比：较短网页的词数除以较长网页的词数",
};

"""The words by which `canonicalize` reads a request, in the languages that requests come in.

Data only. What is not in these tables is not guessed: the text stays as it is and the criteria that
come of it ask for confirmation.
"""

from __future__ import annotations

# What the heading of a section, or a label before a colon, says of the text below it.
#
# - prose: what the request is about; sentences are looked through for predicates
# - wish: the same, and what it says without a predicate is a candidate
# - criteria: each item is a criterion
# - candidates: each item is a criterion that nobody has confirmed
# - constraints: each item is a constraint
# - scope: each item is a constraint, told as out of scope
# - context: reasons and remarks; only what is binding in so many words is taken
# - skip: how it is today, and where; nothing is taken
SECTIONS: dict[str, tuple[str, ...]] = {
    "prose": (
        *("summary", "description", "describe the bug", "bug description", "bug report", "title"),
        *("problem", "problem statement", "the problem", "feature request", "feature", "overview"),
        *("goal", "goals", "objective", "what", "user story", "story", "request", "issue", "bug"),
        *("is your feature request related to a problem", "describe the problem"),
        *("what problem does this solve", "feature description", "task description", "details"),
        *("changes", "what changed", "what does this pr do", "security report", "rfc", "task"),
        *("subject", "behavior", "behaviour"),
        *("beschreibung", "fehlerbeschreibung", "zusammenfassung", "ziel", "problembeschreibung"),
        *("résumé", "objectif", "problème", "descripción", "resumen", "objetivo", "problema"),
        *(
            "descrição",
            "resumo",
            "descrizione",
            "описание",
            "описание проблемы",
            "цель",
            "проблема",
        ),
        *("描述", "问题描述", "概述", "目标", "需求", "功能描述", "概要", "説明", "問題", "目的"),
        *("설명", "الوصف", "المشكلة", "الهدف"),
    ),
    "wish": (
        *("describe the solution you'd like", "proposed solution", "proposed change", "solution"),
        *("proposed changes", "proposal", "what i want", "requested change", "suggested change"),
        *(
            "lösungsvorschlag",
            "solution proposée",
            "solución propuesta",
            "предложение",
            "建议",
            "提案",
        ),
    ),
    "criteria": (
        *("acceptance criteria", "acceptance criterion", "acceptance", "acceptance tests"),
        *("expected behavior", "expected behaviour", "expected", "expected result", "ac"),
        *("expected results", "expected outcome", "expected output", "expectation", "expectations"),
        *("definition of done", "done when", "it is done when", "dod", "success criteria", "tasks"),
        *("task list", "todo", "to do", "to-do", "todos", "checklist", "requirements", "criteria"),
        *("functional requirements", "what should happen", "what did you expect to happen"),
        *("what you expected to happen", "what did you expect", "what i expected", "deliverables"),
        *("what i expected to happen", "desired behavior", "desired behaviour", "desired outcome"),
        *("the expected behavior", "test plan", "validation", "subtasks", "sub-tasks", "scenarios"),
        *("expected behavior is", "we are done when", "must have", "must haves"),
        *("akzeptanzkriterien", "erwartetes verhalten", "erwartet", "erwartung", "aufgaben"),
        *("anforderungen", "abnahmekriterien", "critères d'acceptation", "comportement attendu"),
        *("tâches", "résultat attendu", "criterios de aceptación", "comportamiento esperado"),
        *("resultado esperado", "tareas", "critérios de aceitação", "comportamento esperado"),
        *("criteri di accettazione", "comportamento atteso", "критерии приёмки", "задачи"),
        *("критерии приемки", "ожидаемое поведение", "ожидаемый результат", "требования"),
        *("验收标准", "验收条件", "期望行为", "预期行为", "期望结果", "预期结果", "任务", "要求"),
        *("驗收標準", "受け入れ条件", "受入条件", "期待される動作", "期待する動作", "完了条件"),
        *("期待される結果", "タスク", "인수 조건", "기대 동작", "예상 동작"),
        *("معايير القبول", "السلوك المتوقع", "النتيجة المتوقعة", "المهام"),
    ),
    "candidates": ("candidate criteria", "candidate criteria not confirmed"),
    "constraints": (
        *("constraints", "constraint", "compatibility", "backward compatibility", "limits"),
        *("backwards compatibility", "non-functional requirements", "nonfunctional requirements"),
        *("restrictions", "must not", "do not", "rahmenbedingungen", "einschränkungen"),
        *("randbedingungen", "contraintes", "restricciones", "restrições", "vincoli"),
        *("ограничения", "约束", "约束条件", "限制", "制約", "制約条件", "제약 조건", "القيود"),
    ),
    "scope": (
        *("out of scope", "non-goals", "non goals", "not in scope", "nicht im umfang"),
        *("hors périmètre", "fuera de alcance", "вне рамок", "不在范围内", "対象外"),
    ),
    "context": (
        *("motivation", "background", "context", "additional context", "additional information"),
        *("additional info", "notes", "note", "technical notes", "implementation notes", "hints"),
        *("how to test", "how to test this", "testing instructions", "testing"),
        *("implementation", "implementation ideas", "why", "rationale", "impact", "severity"),
        *("alternatives", "alternatives considered", "describe alternatives you've considered"),
        *("possible solution", "possible fix", "suggested fix", "suggestion", "anything else"),
        *("root cause", "analysis", "workaround", "workarounds", "open questions", "questions"),
        *("hintergrund", "kontext", "hinweise", "contexte", "contexto", "contesto", "контекст"),
        *("примечания", "背景", "备注", "补充说明", "補足", "备选方案", "السياق", "ملاحظات"),
    ),
    "skip": (
        *("steps to reproduce", "to reproduce", "how to reproduce", "reproduction", "reproducer"),
        *("reproduction steps", "steps", "minimal example", "minimal reproducible example", "mre"),
        *("reproducible example", "code example", "example", "examples", "code", "code sample"),
        *("actual behavior", "actual behaviour", "actual", "actual result", "actual results"),
        *("current behavior", "current behaviour", "current state", "observed behavior"),
        *("observed behaviour", "what happened", "what actually happened", "what happens"),
        *("what happens instead", "observed", "got", "actual output", "current output", "today"),
        *("environment", "environment details", "your environment", "system info", "versions"),
        *(
            "version",
            "platform",
            "os",
            "operating system",
            "system information",
            "setup",
            "desktop",
        ),
        *("smartphone", "logs", "log output", "relevant log output", "output", "traceback"),
        *(
            "stack trace",
            "stacktrace",
            "error message",
            "error output",
            "screenshots",
            "screenshot",
        ),
        *("prerequisites", "before submitting", "related", "related issues", "references", "links"),
        *("see also", "type of change", "code of conduct", "first time contributor", "history"),
        *(
            "how has this been tested",
            "additional logs",
            "browser",
            "python version",
            "changelog",
            "release notes",
        ),
        *("schritte zum reproduzieren", "reproduktion", "tatsächliches verhalten", "umgebung"),
        *("aktuelles verhalten", "ist-zustand", "étapes pour reproduire", "comportement actuel"),
        *(
            "comportement observé",
            "environnement",
            "pasos para reproducir",
            "comportamiento actual",
        ),
        *("entorno", "passos para reproduzir", "comportamento atual", "ambiente"),
        *("шаги воспроизведения", "шаги для воспроизведения", "фактическое поведение"),
        *("фактический результат", "окружение", "текущее поведение"),
        *("复现步骤", "重现步骤", "实际行为", "实际结果", "当前行为", "环境", "日志", "截图"),
        *("再現手順", "実際の動作", "現在の動作", "実際の結果", "環境", "ログ"),
        *("재현 방법", "실제 동작", "환경", "خطوات إعادة الإنتاج", "السلوك الفعلي", "البيئة"),
    ),
}

# Framing that says nothing of the task. Before a sentence, whatever follows:
FRAMING: tuple[str, ...] = (
    *("it would be really great if you could", "it would be great if you could", "pls", "plz"),
    *("it would be nice if you could", "it would be great if we could", "it would be great to"),
    *("it would be nice if we could", "it would be nice to", "it would be helpful to"),
    *(
        "it would be good to",
        "would it be possible to",
        "is it possible to",
        "any chance you could",
    ),
    *("i would like you to", "i'd like you to", "i want you to", "would you mind", "could you"),
    *("would you", "can you", "will you", "can we", "could we", "kindly", "please", "btw", "fyi"),
    *("by the way", "as always", "as usual", "also", "additionally", "furthermore", "moreover"),
    *("just", "bitte", "könntet ihr", "könnten sie", "kannst du", "s'il vous plaît", "svp"),
    *("s'il te plaît", "por favor", "per favore", "пожалуйста", "من فضلك", "رجاء"),
)
# After or before a sentence:
THANKS: tuple[str, ...] = (
    *(
        "thanks a lot",
        "thank you very much",
        "thank you so much",
        "thanks in advance",
        "thx",
        "tia",
    ),
    *("thank you in advance", "many thanks", "thank you", "thanks so much", "thanks", "thankyou"),
    *(
        "vielen dank im voraus",
        "vielen dank",
        "danke schön",
        "danke im voraus",
        "danke",
        "merci beaucoup",
        "merci d'avance",
    ),
    *("merci", "muchas gracias", "gracias", "obrigado", "obrigada", "grazie", "большое спасибо"),
    *("заранее спасибо", "спасибо", "شكرا لكم", "شكرا", "شكرًا", "감사합니다", "부탁드립니다"),
)
# After a sentence, too:
AFTERTHOUGHTS: tuple[str, ...] = (
    *("please", "pls", "plz", "as always", "as usual", "bitte", "svp", "s'il vous plaît"),
    *("s'il te plaît", "por favor", "per favore", "пожалуйста", "من فضلك"),
)
# Before a mark, or alone:
GREETINGS: tuple[str, ...] = (
    *("hi", "hello", "hey", "dear", "good morning", "good evening", "good afternoon", "greetings"),
    *("regards", "kind regards", "best regards", "warm regards", "best wishes", "cheers", "best"),
    *("sincerely", "with best regards", "much appreciated", "hallo", "guten tag", "viele grüße"),
    *("mit freundlichen grüßen", "liebe grüße", "bonjour", "cordialement", "hola", "saludos"),
    *("olá", "ciao", "cordiali saluti", "здравствуйте", "привет", "добрый день", "مرحبا"),
    *("\N{CYRILLIC SMALL LETTER ES} уважением", "안녕하세요", "moin", "salut", "buenos días"),
)
# The same in scripts without spaces, as the beginning and the end of a sentence.
FRAMING_BEFORE = (
    *(
        "你好",
        "您好",
        "大家好",
        "麻烦您",
        "麻烦",
        "请帮忙",
        "请问能否",
        "こんにちは",
        "お世話になっております",
    ),
    *("お疲れ様です", "すみません"),
)
FRAMING_AFTER = (
    *(
        "非常感谢",
        "感谢",
        "谢谢大家",
        "谢谢",
        "多谢",
        "よろしくお願いいたします",
        "よろしくお願いします",
    ),
    *("ありがとうございます", "お願いいたします", "お願いします"),
)
# Before these, 请 is part of a word (request, consult), not a plea.
PLEA = "请"
PLEA_WITHIN = "求假教示客柬愿"
# "should", "must", "has to" in other languages; the first in scripts with spaces between words.
DEMANDS: tuple[str, ...] = (
    *("soll", "sollen", "sollte", "sollten", "muss", "müssen", "müsste", "müssten", "doit"),
    *("doivent", "devrait", "devraient", "il faut que", "debe", "deben", "debería", "deberían"),
    *("tiene que", "tienen que", "deve", "devem", "deveria", "devono", "dovrebbe", "dovrebbero"),
    *("должен", "должна", "должно", "должны", "يجب", "ينبغي"),
)
DEMANDS_UNSPACED: tuple[str, ...] = (
    *("应该", "应当", "必须", "應該", "必須", "べき", "なければならない", "なければなりません"),
    *("必要がある", "必要があります", "ようにする", "해야", "되어야"),
)
# What must not be, and what shall stay, as regular expressions.
FORBIDDEN: tuple[str, ...] = (
    *(
        r"\bdarf(?: \w+){0,4} nicht\b",
        r"\bdürfen(?: \w+){0,4} nicht\b",
        r"\bne (?:doit|doivent) pas\b",
    ),
    *(
        r"\bno deben?\b",
        r"\bnão deve\b",
        r"\bnon deve\b",
        "\\bн\N{CYRILLIC SMALL LETTER IE} долж",
        "不得",
        "不能破坏",
        "不要",
        "请勿",
    ),
    *("してはならない", "してはいけない", "변경하지"),
)
LASTING: tuple[str, ...] = (
    *(
        r"\babwärtskompatib\w+",
        r"\brétrocompatib\w+",
        r"\bretrocompatib\w+",
        "обратн\\w+ совместим",
    ),
    *("向后兼容", "向下兼容", "保持兼容", "後方互換", "하위 호환"),
)
WITHOUT: tuple[str, ...] = (
    *(
        r"ohne\s+(?:\S+\s+){1,8}zu\s+\w+",
        r"ohne\s+(?:Änderung|Bruch|Verlust)\w*",
        r"sans\s+(?:casser|modifier|changer|perdre)\b",
    ),
    *(r"sin\s+(?:romper|cambiar|modificar|perder)\b", r"sem\s+(?:quebrar|alterar|mudar)\b"),
    *(r"senza\s+(?:rompere|modificare|cambiare)\b", "без\\s+(?:измен|нарушен|потер)\\w*"),
)

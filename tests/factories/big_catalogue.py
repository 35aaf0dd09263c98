"""A catalogue of 500 tools over seven domains, the same each time: 50 things, ten of twelve questions about each."""

from __future__ import annotations

from functools import cache
from typing import Any

from dataset.record import Localised
from dataset.tools.catalogue import Catalogue
from dataset.tools.permission import Permission
from dataset.tools.scene import LOGIN_STATES, Scene, SceneTools
from dataset.tools.tool import Tool

THINGS: dict[str, tuple[tuple[str, str, str, str, str], ...]] = {
    "finance": (
        ("invoice", "invoices", "发票", "a bill that a supplier sent us", "供应商开来的账单"),
        ("expense_claim", "expense claims", "报销单", "money an employee spent and gets back", "员工垫付的费用"),
        ("budget", "budgets", "预算", "what a department may spend in a year", "部门全年可用的经费"),
        ("fund", "funds", "基金", "an investment fund with its net asset value", "投资基金及其净值"),
        ("loan", "loans", "贷款", "money borrowed from a bank, with its interest", "向银行借的款项及利息"),
        ("credit_card", "credit cards", "信用卡", "a company card and its limit", "公司卡及其额度"),
        ("tax_return", "tax returns", "纳税申报", "the yearly income tax filing", "年度个人所得税申报"),
        ("bank_statement", "bank statements", "银行对账单", "account balance and bookings", "账户余额与流水"),
    ),
    "hr": (
        ("leave_request", "leave requests", "请假申请", "vacation, sick days and other absence", "年假、病假等缺勤"),
        ("payslip", "payslips", "工资单", "monthly salary with deductions", "每月薪水与扣款"),
        ("job_opening", "job openings", "招聘职位", "a vacancy and its candidates", "空缺岗位与应聘者"),
        (
            "performance_review",
            "performance reviews",
            "绩效考核",
            "a yearly appraisal",
            "同事的年度评价",
        ),
        ("training_course", "training courses", "培训课程", "classes, seminars and certificates", "学习班、讲座与证书"),
        ("employment_contract", "employment contracts", "劳动合同", "terms of work and notice", "聘用条款与离职通知期"),
        ("timesheet", "timesheets", "工时表", "hours worked and overtime", "上班时长与加班"),
    ),
    "travel": (
        ("flight_booking", "flight bookings", "机票预订", "a seat on a plane", "飞机座位"),
        ("hotel_booking", "hotel bookings", "酒店预订", "a room for the night", "住宿房间"),
        ("visa_application", "visa applications", "签证申请", "permission to enter a country", "入境许可"),
        ("train_ticket", "train tickets", "火车票", "a seat on the railway", "高铁与铁路座位"),
        ("car_rental", "car rentals", "租车", "a hired vehicle", "租来的汽车"),
        ("travel_insurance", "travel insurance policies", "旅行保险", "cover for accidents on a trip", "出行意外保障"),
        ("lounge_pass", "lounge passes", "贵宾室通行证", "entry to an airport waiting area", "机场休息室的凭证"),
    ),
    "logistics": (
        ("parcel", "parcels", "包裹", "a package on its way to someone", "寄送中的快递"),
        ("warehouse_stock", "warehouse stocks", "仓库库存", "goods on the shelves", "货架上的货物"),
        ("delivery_route", "delivery routes", "配送路线", "the stops of a driver", "司机的停靠站点"),
        ("customs_declaration", "customs declarations", "报关单", "papers for goods at the border", "货物过境的文件"),
        ("supplier", "suppliers", "供应商", "a vendor that we work with", "合作的厂商"),
        ("container", "containers", "集装箱", "a steel box on a ship", "船运货柜"),
        ("return_shipment", "return shipments", "退货", "goods that a customer sends back", "客户寄回的商品"),
    ),
    "health": (
        ("appointment", "appointments", "门诊预约", "a visit to a doctor", "看医生的挂号"),
        ("prescription", "prescriptions", "处方", "medicine that a doctor ordered", "医生开的药"),
        ("lab_result", "lab results", "化验结果", "blood tests and other samples", "验血等检查报告"),
        ("vaccination", "vaccinations", "疫苗接种", "shots against diseases", "预防疾病的针剂"),
        (
            "insurance_claim",
            "insurance claims",
            "医保理赔",
            "costs that the insurer refunds",
            "保险公司报销的医疗费",
        ),
        ("allergy_record", "allergy records", "过敏记录", "substances that a patient must avoid", "病人须避开的物质"),
        ("hospital_bed", "hospital beds", "病床", "a place on a ward", "病房床位"),
    ),
    "it": (
        ("support_ticket", "support tickets", "工单", "a problem reported to the help desk", "向服务台报修的问题"),
        ("server", "servers", "服务器", "a machine in the data centre", "机房里的主机"),
        ("software_license", "software licenses", "软件许可证", "the right to run a program", "程序的使用授权"),
        ("password_reset", "password resets", "密码重置", "a new login after it was forgotten", "忘记登录口令后的找回"),
        ("backup", "backups", "备份", "a copy of data for emergencies", "应急用的数据副本"),
        ("security_alert", "security alerts", "安全告警", "a warning about an attack", "攻击警报"),
        ("laptop", "laptops", "笔记本电脑", "a portable computer of an employee", "员工的便携电脑"),
    ),
    "office": (
        (
            "meeting_room",
            "meeting rooms",
            "会议室",
            "a space that can be reserved",
            "可预约的开会场地",
        ),
        ("customer_order", "customer orders", "客户订单", "what a customer wants delivered", "客户要的货"),
        ("product_review", "product reviews", "商品评价", "stars and comments of shoppers", "顾客的星级与评论"),
        ("coupon", "coupons", "优惠券", "a discount code", "折扣码"),
        ("loyalty_card", "loyalty cards", "会员卡", "points of a regular customer", "老顾客的积分"),
        ("store", "stores", "门店", "a shop with its opening hours", "店铺及营业时间"),
        ("energy_bill", "energy bills", "电费单", "electricity used by an office", "办公室用电"),
    ),
}
"""Name, plural, Chinese name, and what it is in both languages, by domain."""

QUESTIONS: tuple[tuple[str, str, str, tuple[str, ...], bool], ...] = (
    (
        "list",
        "Lists {many}, newest first, with number, date and state.",
        "按时间倒序列出{zh}的编号、日期和状态。",
        ("from_date", "to_date"),
        True,
    ),
    (
        "details",
        "Shows everything about a single {one}: people, amounts, dates and remarks.",
        "查看单个{zh}的全部详情:相关人员、金额、日期与备注。",
        ("number",),
        True,
    ),
    (
        "search",
        "Searches {many} by keyword, person or reference number.",
        "按关键词、人员或编号搜索{zh}。",
        ("keyword",),
        True,
    ),
    (
        "status",
        "Tells how far a {one} has got, whether it is approved and which step comes next.",
        "查询{zh}的办理进度、是否批准以及下一步。",
        ("number",),
        True,
    ),
    (
        "history",
        "Shows who changed a {one}, what was changed and when.",
        "查看{zh}的修改记录:谁在何时改了什么。",
        ("number",),
        True,
    ),
    (
        "totals",
        "Adds up {many} by month, team and category: how many, and how much in all.",
        "按月份、团队和类别汇总统计{zh}:共多少笔、总额多少。",
        ("month", "group_by"),
        True,
    ),
    (
        "overdue",
        "Lists {many} that are late or expire soon, with their deadlines.",
        "列出已逾期或即将到期的{zh}及其截止日期。",
        ("days",),
        True,
    ),
    (
        "compare",
        "Compares two {many} side by side and marks the differences.",
        "并排对比两个{zh}并标出差异。",
        ("first", "second"),
        True,
    ),
    (
        "forecast",
        "Predicts the number and cost of {many} in the coming months from past ones.",
        "根据历史预测未来几个月{zh}的数量和费用。",
        ("months",),
        True,
    ),
    (
        "policy",
        "Explains the rules for {many}: who is entitled, limits, approvals and exceptions.",
        "说明{zh}的制度规定:适用人员、上限、审批与例外。",
        ("topic",),
        False,
    ),
    (
        "contact",
        "Names the person responsible for a {one}, with phone and e-mail.",
        "查询{zh}的负责人和联系人及其电话和邮箱。",
        ("number",),
        False,
    ),
    (
        "files",
        "Lists the documents attached to a {one} and gives links to download them as PDF.",
        "列出{zh}的附件文件并提供 PDF 下载链接。",
        ("number",),
        True,
    ),
)
"""Name, description in both languages, arguments, and whether it is about somebody's own data."""

PERMISSIONS: dict[str, tuple[str, ...]] = {
    "finance_read": ("logged_in", "logged_in_assessed"),
    "hr_read": ("logged_in", "logged_in_assessed"),
    "health_read": ("logged_in_assessed",),
    "it_admin": (),
}
_ADMINISTERED = ("server", "security_alert")


def _permission(domain: str, thing: str) -> str | None:
    if domain == "it":
        return "it_admin" if thing in _ADMINISTERED else None
    wanted = f"{domain}_read"
    return wanted if wanted in PERMISSIONS else None


def _tool(domain: str, thing: tuple[str, str, str, str, str], question: tuple[Any, ...]) -> Tool:
    name, many, chinese, gloss, chinese_gloss = thing
    kind, english_text, chinese_text, arguments, own = question
    one = name.replace("_", " ")
    return Tool(
        name=f"{name}_{kind}",
        version=1,
        access="read",
        semantics="account_data" if own else "knowledge",
        description=Localised(
            en=f"{english_text.format(one=one, many=many)} ({one.capitalize()}: {gloss}.)",
            zh=f"{chinese_text.format(zh=chinese)}({chinese}:{chinese_gloss}。)",
        ),
        parameters={
            "type": "object",
            "additionalProperties": False,
            "properties": {argument: {"type": "string"} for argument in arguments},
            "required": [],
        },
        requires_login=own,
        permission=_permission(domain, name) if own else None,
    )


@cache
def big_catalogue() -> Catalogue:
    """500 tools under four permissions, one of which nobody holds; its one scene has the first ten."""
    tools: dict[str, Tool] = {}
    position = 0
    for domain, things in THINGS.items():
        for thing in things:
            left_out = {position % 12, (position + 5) % 12}
            for at, question in enumerate(QUESTIONS):
                if at not in left_out:
                    made = _tool(domain, thing, question)
                    tools[made.name] = made
            position += 1
    first = tuple(tools)[:10]
    scene = Scene(
        id="desk",
        version=1,
        title=Localised(en="Desk", zh="柜台"),
        tools=SceneTools(**dict.fromkeys(LOGIN_STATES, first)),
    )
    permissions = {
        name: Permission.model_validate(
            {"id": name, "version": 1, "title": {"en": name, "zh": name}, "granted_to": states}
        )
        for name, states in PERMISSIONS.items()
    }
    return Catalogue(tools=tools, scenes={"desk": scene}, permissions=permissions)
